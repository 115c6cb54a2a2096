import { hydrate, render } from 'preact';
import { isAfter } from '../../api/events/position.ts';
import { figuresInterval, type ThroughputData } from '../load/load-throughput.ts';
import { chainPath } from '../load/page-context.ts';
import { plural } from '../text/text-format.ts';
import { setZone } from '../text/zone-time.ts';
import { ActionsContext } from '../views/actions.ts';
import { App } from '../views/app.tsx';
import { LiveContext } from '../views/live.ts';
import type { PagePayload } from '../views/page-payload.ts';
import { isAffected } from './affected.ts';
import { explainAge, tickAges } from './ages.ts';
import { type Dispatch, listen } from './commands.ts';
import { call, callWebhook, loadState, sendRequest } from './dev-call.ts';
import { createLiveStore } from './live-store.ts';
import { loadView } from './load-view.ts';
import { importNames, keepName, keptNames } from './names.ts';
import { listenForPalette } from './open-palette.ts';
import { apiKey, devPath, devToken, fetchPayload, getText, readPayload } from './payload.ts';
import { keepRecent } from './recent.ts';
import { openStream } from './stream.ts';
import type { StreamEvent } from './stream-events.ts';
import { clearArrivals, markArrival, seenHeights, watch, watched } from './watch.ts';
import { changeZone, keptZone } from './zone.ts';

/** Seconds without a message after which the stream counts as lost; checked every second. The server sends a heartbeat every 2 s. */
const silence = 4;
/** Milliseconds between two loads of the same page's data. */
const reloadInterval = 500;
/** Milliseconds until a page that could not be loaded again is tried once more. */
const retryDelay = 5000;
/** Milliseconds after which a page that is loaded again looks busy. */
const busyDelay = 150;
/** The most events that wait for a frame; with more, the page is loaded again instead. */
const maxQueue = 5000;

const root = document.getElementById('app') as HTMLElement;
const script = document.querySelector<HTMLScriptElement>('script[data-worker]');
let payload = readPayload();
/** The page as it is shown: with the names that the reader keeps, once it is hydrated. */
let shown = payload;
let view = await loadView(payload.view);
/** When the server sent the page: scripts may take long to load. */
const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
const store = createLiveStore(payload, () => performance.now(), navigation?.responseStart ?? performance.now());
let queue: StreamEvent[] = [];
/** The position after the last event of the queue or the store. */
let position = payload.position ?? '';
/** Whether events came since the page was loaded last, and when that was. */
let [hasNews, loadedAt] = [false, performance.now()];
let isScheduled = false;
let lastMessage = performance.now();
let isGone = false;

const actions = {
  getText,
  call,
  dev: <T,>(method: string, params?: object) => call<T>(devPath, method, params),
  webhook: callWebhook,
  loadState,
  send: sendRequest,
  reload: async () => void (await reload()),
  watched,
  watch,
  seenHeights,
  keptNames,
  goTo: async (path: string) => {
    history.replaceState(null, '', path);
    await reload();
  },
  importNames: (text: string) => {
    const { count, fault } = { count: 0, fault: undefined, ...importNames(text) };
    showNames();
    return fault ?? `${plural(count, 'name')} added.`;
  },
  keepName: (address: string, name: string) => {
    const fault = keepName(address, name);
    showNames();
    return fault;
  },
};

function draw(isFirst = false): void {
  const live = payload.context.has.events ? store.view(schedule, isGone) : undefined;
  const page = (
    <ActionsContext.Provider value={actions}>
      <LiveContext.Provider value={live}>
        <App payload={shown} View={view} />
      </LiveContext.Provider>
    </ActionsContext.Provider>
  );
  if (isFirst) hydrate(page, root);
  else render(page, root);
  document.body.classList.toggle('gone', isGone);
}

function switchZone(): void {
  changeZone();
  draw();
}

/** Adds the names that the reader keeps; a developer's chain has labels in their place. */
function addNames(): void {
  const isNamed = payload.context.accountNames === undefined;
  shown = isNamed ? { ...payload, context: { ...payload.context, keptNames: keptNames() } } : payload;
}

/** Shows the page with the names that the reader keeps. */
function showNames(): void {
  addNames();
  draw();
}

/** Renders once in the next frame, however many events come. */
function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    const events = queue;
    queue = [];
    store.apply(events);
    if (store.takeGap()) reloadSoon();
    draw();
    loadLabels();
  });
}

/** Loads the page again after `delay` milliseconds, once however often it is asked for. */
function createDelayedReload(delay: number): () => void {
  let isPending = false;
  return () => {
    if (isPending) return;
    isPending = true;
    setTimeout(() => {
      isPending = false;
      void reload();
    }, delay);
  };
}
const reloadSoon = createDelayedReload(reloadInterval);
const retryLater = createDelayedReload(retryDelay);

/** The numbers of the last load that was started and of the last one that was shown: an answer that comes late is not shown. */
let [startedLoad, shownLoad] = [0, 0];
/** Whether a server that answered this may answer otherwise a little later: it fails, or has refused too many requests. */
const isTransient = (status: number): boolean => status >= 500 || status === 429;

/** Loads the page again; false if that failed: then the page stays as it is, and is tried again. It looks busy only if the reader asked for something else, not when an event or the clock did. */
async function reload(isAsked = false): Promise<boolean> {
  const load = ++startedLoad;
  [hasNews, loadedAt] = [false, performance.now()];
  const busy = isAsked ? setTimeout(() => document.querySelector('main')?.setAttribute('aria-busy', 'true'), busyDelay) : undefined;
  const loaded = await fetchPayload(store.lastHeight());
  clearTimeout(busy);
  document.querySelector('main')?.removeAttribute('aria-busy');
  const isFailed = loaded === undefined || isTransient(loaded.status);
  if (isFailed) retryLater();
  if (loaded === undefined || (isFailed && !isAsked)) return false;
  if (load < shownLoad) return true;
  shownLoad = load;
  // If a revert has removed the subject of the page, the page stays and says so.
  isGone = loaded.status === 404 && payload.view !== 'message';
  payload = isGone ? { ...payload, height: loaded.payload.height, dev: loaded.payload.dev, follow: loaded.payload.follow } : loaded.payload;
  view = await loadView(payload.view);
  // The events that wait for the next frame are as old or as new as those of the store.
  store.apply(queue);
  queue = [];
  store.restart(loaded.payload);
  if (isNew(loaded.payload.position)) position = loaded.payload.position ?? '';
  showNames();
  return true;
}

/** Whether an event or a page is after all events that came. Those of a tab that was hidden may come twice. */
const isNew = (id: string | undefined): boolean => id !== undefined && (position === '' || isAfter(id, position));

const loading = new Set<string>();
function loadLabels(): void {
  for (const id of store.unknownAssets()) {
    if (loading.has(id)) continue;
    loading.add(id);
    void getText(`${chainPath(payload.context)}/assets/${id}`).then((text) => {
      if (text === undefined) return;
      const { symbol, denomination } = JSON.parse(text) as { symbol: string; denomination: number };
      store.addLabel(id, { symbol, denomination });
      schedule();
    });
  }
}

function receive(event: StreamEvent): void {
  if (event.kind === 'lost') {
    if (store.setStatus('lost')) schedule();
    return;
  }
  lastMessage = performance.now();
  if (event.kind === 'closed') return;
  if (store.setStatus('live')) schedule();
  if (event.kind === 'heartbeat') return;
  if (event.id !== undefined && event.kind !== 'reset') {
    if (!isNew(event.id)) return;
    position = event.id;
  }
  // Only the log of calls shows calls.
  if (event.kind === 'calls' && payload.view !== 'calls') return;
  markArrival(event);
  // A hidden tab listens only if an address is watched; it is loaded again when it is shown.
  if (document.hidden) return;
  hasNews = true;
  if (isAffected(payload, event)) reloadSoon();
  const takesAll = payload.view === 'home' || payload.view === 'dev';
  if (!takesAll && event.kind !== 'reverted' && event.kind !== 'block' && event.kind !== 'time') return;
  queue.push(event);
  if (queue.length > maxQueue) {
    queue = [];
    reloadSoon();
  }
  schedule();
}

function followStream(): void {
  const stream = openStream(script?.dataset.worker ?? '', ({ data }) => receive(JSON.parse(data) as StreamEvent), reload);
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      if (watched().length === 0) stream.pause();
      return;
    }
    clearArrivals();
    lastMessage = performance.now();
    void reload().then(() => stream.follow(payload.position ?? position));
  });
  stream.follow(position);
}

/** Milliseconds after which the figures of a page that only the server knows are read again; undefined if the page has none. */
function figuresAge({ view, data, context }: PagePayload): number | undefined {
  // Without events, the last day moves on with the clock, and other chains may export to this one.
  if (view === 'home') return hasNews ? 2000 : 15_000;
  if (view === 'throughput') return figuresInterval(data as ThroughputData, hasNews);
  // Memory and the lag behind a followed node change without an event.
  // Receivers of webhooks answer without an event of the chain; calls may come before the stream is open, and their log ends if nobody reads it.
  if (view === 'webhooks' || view === 'calls') return 3000;
  return view === 'node' || context.has.follow ? 5000 : undefined;
}

listen({ reload: async () => void (await reload(true)), payload: () => payload } satisfies Dispatch);
setZone(keptZone());
draw(true);
if (Object.keys(keptNames()).length > 0) showNames();
document.addEventListener('mouseover', explainAge);
keepRecent(payload);
listenForPalette({ payload: () => shown, reload: async () => void (await reload()), changeZone: switchZone });
document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('[data-zone-button]')) switchZone();
});
// On a phone the navigation is wider than the window.
document.querySelector('.nav [aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' });
if (payload.context.has.events) followStream();
// A page that was opened by a link came without the key or the token of this tab.
if (
  ((apiKey() !== '' || devToken() !== '') && payload.view === 'message') ||
  (devToken() !== '' && payload.context.has.dev && payload.context.has.devToken && payload.dev === undefined)
)
  void reload();
setInterval(() => {
  if (document.hidden) return;
  if (payload.context.has.events && (performance.now() - lastMessage) / 1000 > silence && store.setStatus('lost')) schedule();
  if (payload.view === 'home') schedule();
  tickAges(store.now());
  const age = figuresAge(payload);
  if (age !== undefined && performance.now() - loadedAt >= age) void reload();
}, 1000);
