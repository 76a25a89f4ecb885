// Starts the viewer on the match that the page names.
"use strict";
const canvas = document.getElementById("view");
const said = document.getElementById("said");
if (typeof ZappyViewer === "undefined") {
  said.textContent = "The viewer could not be loaded.";
} else {
  const { live, record } = canvas.dataset;
  const source = live ? { live } : { recordUrl: record };
  Promise.resolve()
    .then(() => ZappyViewer.start({ canvas, ...source }))
    .catch((error) => { said.textContent = String(error && error.message || error); });
}
