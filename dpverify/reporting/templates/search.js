(() => {
  const form = document.getElementById("filter");
  if (form) {
    const rows = [...document.querySelectorAll("[data-verdict]")];
    const texts = rows.map(row => row.textContent.toLowerCase());
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
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach(d => { d.open = true; });
    // What is wider than a sheet of paper is made smaller: a sheet cannot be scrolled.
    const wide = [...document.querySelectorAll(".wide > math, .wide > table")];
    wide.forEach(e => { e.style.width = "min-content"; });
    const widths = wide.map(e => e.getBoundingClientRect().width);
    wide.forEach(e => { e.style.width = ""; });
    wide.forEach((e, i) => { if (widths[i] > 800) e.style.fontSize = 72000 / widths[i] + "%"; });
  });
  addEventListener("afterprint", () => {
    document.querySelectorAll(".wide > *").forEach(e => { e.style.fontSize = ""; });
  });
})();
