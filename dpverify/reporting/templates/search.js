(() => {
  const form = document.getElementById("filter");
  if (form) {
    const rows = [...document.querySelectorAll("[data-verdict]")];
    const names = {{ names }};
    const texts = rows.map(row => {
      const text = row.textContent.toLowerCase();
      return text + " " + text.replace(/[^ -~]/g, sign => names[sign] || sign);
    });
    const show = () => {
      const words = form.words.value.toLowerCase().split(/\s+/);
      const wanted = new Set([...form.verdict].filter(box => box.checked).map(box => box.value));
      let count = 0;
      rows.forEach((row, i) => {
        row.hidden = !(wanted.has(row.dataset.verdict) && words.every(word => texts[i].includes(word)));
        count += !row.hidden;
      });
      document.getElementById("shown").textContent = count + " of " + rows.length;
    };
    form.hidden = false;
    form.addEventListener("input", show);
    form.addEventListener("submit", event => event.preventDefault());
    show();
  }
  // A formula that is wider than its line is made smaller, as far as it can be read; then it scrolls.
  const shrink = within => {
    const formulas = [...within.querySelectorAll(".piece > math")];
    formulas.forEach(math => { math.style.fontSize = ""; });
    const ratios = formulas.map(math => math.parentNode.clientWidth / math.parentNode.scrollWidth);
    formulas.forEach((math, i) => {
      if (ratios[i] < 1) math.style.fontSize = Math.max(65, 97 * ratios[i]) + "%";
    });
  };
  shrink(document);
  addEventListener("resize", () => shrink(document));
  document.addEventListener("toggle", event => shrink(event.target), true);
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach(d => { d.open = true; });
    // What is wider than a sheet of paper is made smaller: a sheet cannot be scrolled.
    const wide = [...document.querySelectorAll(".piece > math, .wide > table")];
    wide.forEach(e => { e.style.fontSize = ""; e.style.width = "min-content"; });
    const widths = wide.map(e => e.getBoundingClientRect().width);
    wide.forEach(e => { e.style.width = ""; });
    wide.forEach((e, i) => { if (widths[i] > 700) e.style.fontSize = 63000 / widths[i] + "%"; });
  });
  addEventListener("afterprint", () => {
    document.querySelectorAll(".wide > *, .piece > *").forEach(e => { e.style.fontSize = ""; });
    shrink(document);
  });
})();
