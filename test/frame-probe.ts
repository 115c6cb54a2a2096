import type { Page } from './chromium.ts';

/** Milliseconds of frames since the probe was started. */
type Frames = {
  /** From one frame to the next. */
  readonly medianInterval: number;
  readonly p95Interval: number;
  /** Script, style and layout of the page, in frames that had any. */
  readonly medianWork: number;
  readonly p95Work: number;
  readonly maxWork: number;
  /** Tasks above 50 ms. */
  readonly longTasks: number;
  readonly worked: number;
  readonly frames: number;
};

/**
 * Installs the probe in all pages that are opened from now on. It adds up the time of the page's frame callbacks, with the style and layout
 * that they cause, and of messages from its worker.
 */
export const installFrameProbe = (page: Page): Promise<void> => page.addScript(`(${probe})()`);

/** Forgets the frames so far. */
export const startFrames = (page: Page): Promise<void> => page.run('frameProbe.start()');
export const readFrames = (page: Page): Promise<Frames> => page.run('frameProbe.read()');

const probe = `function () {
  let work = 0, last = 0, works = [], intervals = [], longTasks = 0, frames = 0;
  const timed = (run, layout) => (...args) => {
    const from = performance.now();
    try { return run(...args); } finally {
      if (layout) document.documentElement.offsetHeight;
      work += performance.now() - from;
    }
  };
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (run) => request(timed(run, true));
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    set(run) { this.addEventListener('message', timed(run, false)); this.start(); },
  });
  const step = (now) => {
    frames++;
    if (last > 0) intervals.push(now - last);
    if (work > 0) works.push(work);
    work = 0; last = now;
    request(step);
  };
  request(step);
  new PerformanceObserver((list) => { longTasks += list.getEntries().length; }).observe({ type: 'longtask' });
  const at = (values, share) => values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;
  window.frameProbe = {
    start: () => { works = []; intervals = []; longTasks = 0; work = 0; frames = 0; },
    read: () => ({ medianInterval: at(intervals, 0.5), p95Interval: at(intervals, 0.95), medianWork: at(works, 0.5),
      p95Work: at(works, 0.95), maxWork: Math.max(0, ...works), longTasks, worked: works.length, frames }),
  };
}`;
