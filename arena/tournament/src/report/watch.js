const id = new URLSearchParams(location.search).get("match") || "";
const canvas = document.querySelector("canvas");
const record = document.createElement("script");
document.title = "Match " + id + " – Zappy Arena";
record.onload = () => ZappyViewer.start({ canvas, name: id });
record.onerror = () => {
    document.body.textContent = "There is no replay of the match " + id + ".";
};
if (/^[0-9a-f]+$/.test(id)) {
    record.src = matches + "/" + id + "/" + script;
    document.body.append(record);
} else {
    document.body.textContent = "This page shows a match: it is opened from the tournament's page.";
}
