// Renews the list while people look at it, without moving the page under them.
"use strict";
const renew = async () => {
  if (document.hidden) return;
  try {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const [old, now] = [document.querySelector("main"), page.querySelector("main")];
    if (old && now && old.innerHTML !== now.innerHTML && !old.contains(document.activeElement)) {
      old.replaceWith(document.importNode(now, true));
    }
  } catch {
    // The site may be back the next time.
  }
};
setInterval(renew, 3000);
