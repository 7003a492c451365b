(() => {
  const config = { displayModeBar: false, responsive: true };
  const plots = [...document.querySelectorAll("[data-figure]")];
  for (const plot of plots) {
    const figure = JSON.parse(document.getElementById(plot.dataset.figure).textContent);
    Plotly.newPlot(plot, figure.data, figure.layout, config);
  }
  const closed = [];
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details:not([open])")) {
      details.open = true;
      closed.push(details);
    }
    for (const plot of plots) Plotly.relayout(plot, { width: Math.min(plot.clientWidth, 680), autosize: false });
  });
  addEventListener("afterprint", () => {
    for (const details of closed.splice(0)) details.open = false;
    for (const plot of plots) Plotly.relayout(plot, { width: null, autosize: true });
  });
})();
