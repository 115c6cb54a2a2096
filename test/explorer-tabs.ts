import { openChromium, type Page } from './chromium.ts';
import type { SteadyLoad } from './steady-load.ts';

/** Pages of the explorer that stay open while the chain is busy. */
export type ExplorerTabs = {
  readonly home: Page;
  /** By path; the first page too. */
  readonly tabs: ReadonlyMap<string, Page>;
  /** Shows the pages in turn, the first page half of the time, until a value of `performance.now()`. */
  readonly showInTurn: (until: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** Milliseconds for which a page is in front before another is. */
const turn = 3000;

/** Opens the pages that show most of what changes. */
export async function openExplorerTabs(
  binary: string,
  url: string,
  { addresses, asset, family }: Pick<SteadyLoad, 'addresses' | 'asset' | 'family'>,
): Promise<ExplorerTabs> {
  const owner = addresses[1];
  const home = await openChromium(binary);
  await home.emulate({ width: 1280, height: 900 });
  await home.open(`${url}/`);
  const tabs = new Map([['/', home]]);
  for (const path of [
    '/blocks',
    '/assets',
    '/mempool',
    '/cross-chain',
    '/throughput?range=minute',
    '/throughput?range=hour',
    `/asset/${asset}`,
    `/holders/${asset}`,
    `/asset/${family}`,
    `/address/${owner}`,
    `/outputs/${owner}?state=all`,
  ])
    tabs.set(path, await home.openTab(url + path));
  return {
    home,
    tabs,
    showInTurn: async (until) => {
      while (performance.now() < until)
        for (const tab of tabs.values()) {
          for (const one of [home, tab]) {
            await one.show();
            await Bun.sleep(Math.min(turn, Math.max(0, until - performance.now())));
          }
          if (performance.now() >= until) return;
        }
    },
    close: home.close,
  };
}
