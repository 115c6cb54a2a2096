/** Runs before the first paint: applies the theme that the reader chose. Without a choice the system decides. */
const chosen = localStorage.getItem('serac-theme');
if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
document.documentElement.classList.add('script');

export {};
