import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chromiumBinary, openChromium, type Page } from './chromium.ts';
import { type Program, startProgram } from './program.ts';

/** Tests the page `/api` in Chromium. */
const binary = chromiumBinary();

describe.skipIf(binary === undefined)('Chromium: the reference page', () => {
  let node: Program;
  let page: Page;
  beforeAll(async () => {
    node = await startProgram();
    page = await openChromium(binary!);
    await page.open(`${node.url}/api`);
  }, 30_000);
  afterAll(async () => {
    await page.close();
    await node.stop();
  });

  test('shows every operation of the document', async () => {
    const { paths } = (await (await fetch(`${node.url}/api-json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    const shown = await page.run<string[]>(`[...document.querySelectorAll('.card')].map((card) => card.id)`);
    expect(shown.toSorted()).toEqual(ids.toSorted());
  });

  test('filters operations by the typed text', async () => {
    const found = await page.run<string[]>(`(() => {
      const filter = document.getElementById('filter');
      filter.value = 'balances';
      filter.dispatchEvent(new Event('input'));
      return [...document.querySelectorAll('.card')].filter((card) => card.checkVisibility()).map((card) => card.id);
    })()`);
    expect(found).toEqual(['getBalancesByAddresses', 'getCrossChainBalances']);
  });

  test('sends the values of the form and shows the response', async () => {
    const shown = await page.run<{ status: string; answer: string; curl: string }>(`(async () => {
      const card = document.getElementById('getBalancesByAddresses');
      card.open = true;
      card.querySelector('[name=addresses]').value = 'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u';
      card.querySelector('form').dispatchEvent(new Event('input'));
      card.querySelector('button').click();
      while (card.querySelector('.result').hidden) await new Promise((resolve) => setTimeout(resolve, 10));
      const text = (query) => card.querySelector(query).textContent;
      return { status: text('.status'), answer: text('.result pre'), curl: text('.curl') };
    })()`);
    expect(shown.status).toStartWith('200 ');
    expect(JSON.parse(shown.answer)).toMatchObject({ balances: { unlocked: [{ amount: '300000000000000000' }] } });
    expect(shown.curl).toContain(`${node.url}/v1/networks/local/blockchains/x-chain/balances?addresses=X-local1`);
  });

  test('requests only its own server, and prints nothing to the console', () => {
    expect(page.requests.length).toBeGreaterThan(1);
    expect(page.requests.filter((url) => !url.startsWith(`${node.url}/`))).toEqual([]);
    expect(page.console).toEqual([]);
  });
});
