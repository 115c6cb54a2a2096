import { setZone } from '../text/zone-time.ts';
import { keptZone, showTimes } from './zone.ts';

/** Runs before the first paint: applies the theme and the time zone that the reader chose. Without a choice the system decides. */
const chosen = localStorage.getItem('serac-theme');
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
document.documentElement.classList.add('script');

// Times of the page are changed while it is read, so that the first paint has them: a longer one would move what follows it.
setZone(keptZone());
const observer = new MutationObserver(showTimes);
observer.observe(document, { childList: true, subtree: true });
document.addEventListener('DOMContentLoaded', () => observer.disconnect());
