import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chromiumBinary, openChromium } from './chromium.ts';
import { type DevNode, startDevNode } from './dev-node.ts';
import { getFrom } from './explorer-client.ts';
import { eventually } from './processes.ts';

/** NFT payloads: images from their own bytes, everything else as text. */
let node: DevNode;
let url: string;
let assetID: string;
/** UTXO IDs by payload. */
const outputs = new Map<string, string>();
const png =
  '0x89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082';
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
const link = 'http://127.0.0.1:9/never-loaded.png';
/** Starts like a PNG, goes on like a page. */
const disguised = `0x89504e470d0a1a0a${Buffer.from('<script>document.title="run"</script>').toString('hex')}`;

beforeAll(async () => {
  node = await startDevNode('with a reader process', '--accounts=2');
  url = node.program().url;
  const { accounts } = await node.dev('dev.accounts');
  ({ assetID } = await node.dev('dev.createNFT', { name: 'Cards', symbol: 'CARD', groups: 5 }));
  for (const payload of [png, svg, link, disguised]) await node.dev('dev.mintNFT', { assetID, to: accounts[1].address, payload });
  const { json } = await getFrom(node.program(), `assets/${assetID}/nft-groups`);
  for (const { minted } of json.groups) if (minted !== undefined) outputs.set(minted.payload, minted.utxoId);
});
afterAll(() => node.stop());

const hexOf = (text: string): string => (text.startsWith('0x') ? text : `0x${Buffer.from(text).toString('hex')}`);
const image = (payload: string) => fetch(`${url}/payload/${outputs.get(hexOf(payload))}`);

test('an image is answered with the type of its bytes, and can run nothing', async () => {
  const response = await image(png);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await response.arrayBuffer()).toString('hex')).toBe(png.slice(2));
  expect((await image(disguised)).headers.get('content-type')).toBe('image/png');
});

test('SVG, URLs, other outputs and unknown IDs have no image', async () => {
  expect([(await image(svg)).status, (await image(link)).status]).toEqual([404, 404]);
  const { transactions } = (await getFrom(node.program(), 'blocks/1/transactions')).json;
  for (const name of [`${transactions[0].txHash}:0`, 'x', '%00', '..%2f..%2fext%2fdev'])
    expect([name, (await fetch(`${url}/payload/${name}`)).status]).toEqual([name, 404]);
  expect((await fetch(`${url}/payload/${outputs.get(png)}`, { method: 'POST' })).status).toBe(404);
});

const binary = chromiumBinary();
test.skipIf(binary === undefined)('Chromium: the page shows the image and the texts, loads no URL and runs nothing', async () => {
  const page = await openChromium(binary!);
  try {
    await page.open(`${url}/asset/${assetID}`);
    await eventually(
      () => page.run<boolean>(`document.querySelector('.payload-image')?.naturalWidth === 1`),
      (isLoaded) => isLoaded,
    );
    const text = await page.run<string>(`document.querySelector('.cards').textContent`);
    expect(text).toContain(svg);
    expect(text).toContain(link);
    expect(page.requests.filter((request) => !request.startsWith(`${url}/`))).toEqual([]);
    // Opened by itself, the disguised page is an image that cannot be shown.
    await page.open(`${url}/payload/${outputs.get(disguised)}`);
    expect(await page.run<string>('document.title')).not.toBe('run');
  } finally {
    await page.close();
  }
});
