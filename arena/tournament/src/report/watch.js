const id = new URLSearchParams(location.search).get("match") || "";
const canvas = document.querySelector("canvas");
const replay = document.createElement("script");
document.title = "Match " + id + " – Zappy Arena";
replay.onload = () => ZappyViewer.start({ canvas, name: id });
replay.onerror = () => {
    document.body.textContent = "There is no replay of the match " + id + ".";
};
if (/^[0-9a-f]+$/.test(id)) {
    replay.src = matches + "/" + id + "/" + script;
    document.body.append(replay);
} else {
    document.body.textContent = "This page shows a match: it is opened from the tournament's page.";
}
