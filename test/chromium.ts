import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A page in a real Chromium, controlled over the DevTools protocol. */
export type Page = {
  readonly open: (url: string) => Promise<void>;
  /** Evaluates an expression in the page and returns its value; promises are awaited. */
  readonly run: <T>(expression: string) => Promise<T>;
  /** Sets the size of the window or of the paper, the theme of the system and whether it asks for less motion. */
  readonly emulate: (options: {
    width: number;
    height: number;
    isDark?: boolean;
    reducesMotion?: boolean;
    isPrinted?: boolean;
  }) => Promise<void>;
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

/**
 * Opens a page in a context of its own, with its own storage, workers and window. `npm test` starts one browser for all files, because each takes
 * two seconds of CPU (tools/run-tests.ts); a file that is run by itself starts its own.
 */
export async function openChromium(binary: string, width = 1280, height = 900): Promise<Page> {
  const shared = process.env.SERAC_TEST_CHROMIUM_PORT;
  const browser = shared === undefined ? await startChromium(binary) : undefined;
  const port = shared ?? (browser as Browser).port;
  const version = (await (await fetch(`http://127.0.0.1:${port}/json/version`)).json()) as { readonly webSocketDebuggerUrl: string };
  const connection = await connect(version.webSocketDebuggerUrl);
  // The context ends with this connection, also if this process is killed.
  const { browserContextId } = await connection.call<{ browserContextId: string }>('Target.createBrowserContext', {
    disposeOnDetach: true,
  });
  const createPage = async (window: object, close: (targetId: string) => Promise<unknown>): Promise<Page> => {
    const target = { url: 'about:blank', browserContextId, ...window };
    const { targetId } = await connection.call<{ targetId: string }>('Target.createTarget', target);
    return connectPage(`ws://127.0.0.1:${port}/devtools/page/${targetId}`, createTab, async () => void (await close(targetId)));
  };
  const createTab = (): Promise<Page> => createPage({}, (targetId) => connection.call('Target.closeTarget', { targetId }));
  return createPage({ newWindow: true, width, height }, async () => {
    await connection.call('Target.disposeBrowserContext', { browserContextId });
    connection.close();
    await browser?.close();
  });
}

/** A running Chromium, and the port of its DevTools protocol. */
type Browser = { readonly port: string; readonly close: () => Promise<void> };

export async function startChromium(binary: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'serac-chromium-'));
  const flags = [
    'no-sandbox',
    'disable-gpu',
    'disable-quic',
    'no-first-run',
    'disable-background-networking',
    'disable-component-update',
    'disable-sync',
    'headless',
    'remote-debugging-port=0',
    `user-data-dir=${profile}`,
  ];
  const child = Bun.spawn([binary, ...flags.map((flag) => `--${flag}`), 'about:blank'], { stdout: 'ignore', stderr: 'pipe' });
  return {
    port: await debuggingPort(child.stderr),
    close: async () => {
      child.kill();
      await child.exited;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** A connection of the DevTools protocol, to the browser or to a page. */
type Connection = {
  /** Calls a method and returns its result; throws the error of the browser. */
  readonly call: <T = unknown>(method: string, params?: object) => Promise<T>;
  readonly on: (listener: (event: ProtocolEvent) => void) => void;
  readonly close: () => void;
};

async function connect(url: string): Promise<Connection> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`cannot connect to Chromium at ${url}`)));
  });
  const waiting = new Map<number, (answer: ProtocolResponse) => void>();
  const listeners: ((event: ProtocolEvent) => void)[] = [];
  let lastID = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(data as string) as ProtocolResponse & { id?: number } & ProtocolEvent;
    if (message.id === undefined) for (const listener of listeners) listener(message);
    else waiting.get(message.id)?.(message);
  });
  return {
    call: async <T>(method: string, params: object = {}) => {
      const id = ++lastID;
      socket.send(JSON.stringify({ id, method, params }));
      const { result, error } = await new Promise<ProtocolResponse>((resolve) => waiting.set(id, resolve));
      waiting.delete(id);
      if (error !== undefined) throw new Error(`${method}: ${error.message}`);
      return result as T;
    },
    on: (listener) => void listeners.push(listener),
    close: () => socket.close(),
  };
}

async function connectPage(url: string, createTab: () => Promise<Page>, close: () => Promise<void>): Promise<Page> {
  const { call, on, close: disconnect } = await connect(url);
  const requests: string[] = [];
  const consoleLines: string[] = [];
  let isLoaded = (): void => {};
  on(({ method, params }) => {
    if (method === 'Network.requestWillBeSent') requests.push(params?.request?.url ?? '');
    if (method === 'Log.entryAdded') consoleLines.push(params?.entry?.text ?? '');
    if (method === 'Runtime.exceptionThrown') consoleLines.push(JSON.stringify(params));
    if (method === 'Page.loadEventFired') isLoaded();
  });
  for (const domain of ['Page', 'Network', 'Runtime', 'Log']) await call(`${domain}.enable`);

  return {
    requests,
    console: consoleLines,
    open: async (address) => {
      const loaded = new Promise<void>((resolve) => {
        isLoaded = resolve;
      });
      await call('Page.navigate', { url: address });
      await loaded;
    },
    run: async <T>(expression: string) => {
      const params = { expression, awaitPromise: true, returnByValue: true };
      const { result, exceptionDetails } = await call<{ result?: { value?: T }; exceptionDetails?: unknown }>('Runtime.evaluate', params);
      if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
      return result?.value as T;
    },
    emulate: async ({ width, height, isDark = false, reducesMotion = false, isPrinted = false }) => {
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: width < 500 });
      await call('Emulation.setEmulatedMedia', {
        media: isPrinted ? 'print' : '',
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
      return (await call<{ usedSize: number }>('Runtime.getHeapUsage')).usedSize;
    },
    addScript: async (source) => void (await call('Page.addScriptToEvaluateOnNewDocument', { source })),
    screenshot: async (format = 'png') => {
      const options = format === 'png' ? { captureBeyondViewport: true } : { format, quality: 70 };
      return Buffer.from((await call<{ data: string }>('Page.captureScreenshot', options)).data, 'base64');
    },
    show: async () => void (await call('Page.bringToFront')),
    openTab: async (address) => {
      const tab = await createTab();
      await tab.open(address);
      return tab;
    },
    close: async () => {
      disconnect();
      await close();
    },
  };
}

type ProtocolResponse = { readonly result?: unknown; readonly error?: { readonly message: string } };
type ProtocolEvent = { readonly method?: string; readonly params?: { request?: { url: string }; entry?: { text: string } } };

async function debuggingPort(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString('utf8');
    const port = /ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) return port;
  }
  throw new Error(`Chromium did not start: ${text}`);
}
