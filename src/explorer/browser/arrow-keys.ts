/** The direction of each arrow key. */
const directions: { readonly [key: string]: readonly [number, number] } = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Moves the focus from a link of a picture (`data-arrows`) to the nearest one in the direction of an arrow key. Returns false if the key does
 * not apply, or if there is none in this direction.
 */
export function moveFocus(event: KeyboardEvent): boolean {
  const direction = directions[event.key];
  const current = event.target instanceof Element ? event.target.closest('a') : null;
  const picture = current?.closest('[data-arrows]');
  if (direction === undefined || !current || !picture) return false;
  const from = centre(current);
  let best: { readonly link: SVGElement | HTMLElement; readonly cost: number } | undefined;
  for (const link of picture.querySelectorAll<SVGElement | HTMLElement>('a[href]')) {
    const to = centre(link);
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const along = dx * direction[0] + dy * direction[1];
    if (link === current || along < 1) continue;
    // What is straight ahead comes before what is nearer but aside.
    const cost = along + 2 * Math.abs(dx * direction[1] + dy * direction[0]);
    if (best === undefined || cost < best.cost) best = { link, cost };
  }
  best?.link.focus();
  return best !== undefined;
}

function centre(element: Element): { readonly x: number; readonly y: number } {
  const { left, top, width, height } = element.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2 };
}
