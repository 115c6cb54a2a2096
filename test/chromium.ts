import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A page in a real Chromium, controlled over the DevTools protocol. */
export type Page = {
  readonly open: (url: string) => Promise<void>;
  /** Evaluates an expression in the page and returns its value; promises are awaited. */
  readonly run: <T>(expression: string) => Promise<T>;
  /** Sets the size of the window, the theme of the system and whether it asks for less motion. */
  readonly emulate: (options: { width: number; height: number; isDark?: boolean; reducesMotion?: boolean }) => Promise<void>;
  /** The time zone of the reader, such as `Asia/Kolkata`. */
  readonly setTimeZone: (timezoneId: string) => Promise<void>;
  /** Turns the scripts of the page off or on, from the next page on. */
  readonly setScripts: (isOn: boolean) => Promise<void>;
  /** Collects garbage and returns the bytes that the page's scripts still hold. */
  readonly heapBytes: () => Promise<number>;
  /** Runs a script before those of every page that is opened from now on. */
  readonly addScript: (text: string) => Promise<void>;
  /** A PNG of the whole page, or a WebP of the window. */
  readonly screenshot: (format?: 'png' | 'webp') => Promise<Uint8Array>;
  /** Shows this tab; the others are then hidden. */
  readonly show: () => Promise<void>;
  /** Opens another tab in the same browser. */
  readonly openTab: (url: string) => Promise<Page>;
  /** URLs that the page has requested. */
  readonly requests: readonly string[];
  /** Log entries and uncaught exceptions of the page. */
  readonly console: readonly string[];
  readonly close: () => Promise<void>;
};

export const chromiumBinary = (): string | undefined => Bun.which('chromium') ?? Bun.which('chromium-browser') ?? undefined;

export async function openChromium(binary: string, width = 1280, height = 900): Promise<Page> {
  const profile = mkdtempSync(join(tmpdir(), 'serac-chromium-'));
  const quietFlags = [
    'no-sandbox',
    'disable-gpu',
    'disable-quic',
    'no-first-run',
    'disable-background-networking',
    'disable-component-update',
  ];
  const flags = [
    ...quietFlags,
    'disable-sync',
    'headless',
    'remote-debugging-port=0',
    `window-size=${width},${height}`,
    `user-data-dir=${profile}`,
  ];
  const child = Bun.spawn([binary, ...flags.map((flag) => `--${flag}`), 'about:blank'], { stdout: 'ignore', stderr: 'pipe' });
  const port = await debuggingPort(child.stderr);
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as Target[];
  const close = async (): Promise<void> => {
    child.kill();
    await child.exited;
    rmSync(profile, { recursive: true, force: true });
  };
  return connectPage(port, targets.find(({ type }) => type === 'page')!, close);
}

type Target = { readonly id: string; readonly type: string; readonly webSocketDebuggerUrl: string };

async function connectPage(port: string, { webSocketDebuggerUrl }: Target, close: () => Promise<void>): Promise<Page> {
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve) => socket.addEventListener('open', resolve));

  const waiting = new Map<number, (answer: ProtocolResponse) => void>();
  const listeners = new Map<string, () => void>();
  const requests: string[] = [];
  const consoleLines: string[] = [];
  let lastID = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as ProtocolResponse & { id?: number; method?: string; params?: EventParams };
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    if (message.method === 'Network.requestWillBeSent') requests.push(message.params?.request?.url ?? '');
    if (message.method === 'Log.entryAdded') consoleLines.push(message.params?.entry?.text ?? '');
    if (message.method === 'Runtime.exceptionThrown') consoleLines.push(JSON.stringify(message.params));
    listeners.get(message.method ?? '')?.();
  });
  const call = (method: string, params: object = {}): Promise<ProtocolResponse> => {
    const id = ++lastID;
    socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await call(`${domain}.enable`);

  return {
    requests,
    console: consoleLines,
    open: async (url) => {
      const loaded = new Promise<void>((resolve) => listeners.set('Page.loadEventFired', resolve));
      await call('Page.navigate', { url });
      await loaded;
    },
    run: async <T>(expression: string) => {
      const { result } = await call('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      if (result?.exceptionDetails) throw new Error(JSON.stringify(result.exceptionDetails));
      return result?.result?.value as T;
    },
    emulate: async ({ width, height, isDark = false, reducesMotion = false }) => {
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
      await call('Emulation.setEmulatedMedia', {
        features: [
          { name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' },
          { name: 'prefers-reduced-motion', value: reducesMotion ? 'reduce' : 'no-preference' },
        ],
      });
    },
    setTimeZone: async (timezoneId) => void (await call('Emulation.setTimezoneOverride', { timezoneId })),
    setScripts: async (isOn) => void (await call('Emulation.setScriptExecutionDisabled', { value: !isOn })),
    heapBytes: async () => {
      for (let i = 0; i < 3; i++) await call('HeapProfiler.collectGarbage');
      const { result } = (await call('Runtime.getHeapUsage')) as { result?: { usedSize?: number } };
      return result?.usedSize ?? 0;
    },
    addScript: async (source) => void (await call('Page.addScriptToEvaluateOnNewDocument', { source })),
    screenshot: async (format = 'png') => {
      const options = format === 'png' ? { captureBeyondViewport: true } : { format, quality: 70 };
      const { result } = (await call('Page.captureScreenshot', options)) as { result?: { data?: string } };
      return Buffer.from(result?.data ?? '', 'base64');
    },
    show: async () => void (await call('Page.bringToFront')),
    openTab: async (url) => {
      const created = (await (await fetch(`http://127.0.0.1:${port}/json/new?about:blank`, { method: 'PUT' })).json()) as Target;
      const tab = await connectPage(port, created, async () => void (await fetch(`http://127.0.0.1:${port}/json/close/${created.id}`)));
      await tab.open(url);
      return tab;
    },
    close: async () => {
      socket.close();
      await close();
    },
  };
}

type ProtocolResponse = { result?: { result?: { value?: unknown }; exceptionDetails?: unknown } };
type EventParams = { request?: { url: string }; entry?: { text: string } };

async function debuggingPort(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString('utf8');
    const port = /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`Chromium did not start: ${text}`);
}
