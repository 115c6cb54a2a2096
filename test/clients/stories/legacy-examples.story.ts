/**
 * All 55 X-Chain examples of avalanche 3.16.0, as they are in its package (`examples/avm`), each with the output that it has on AvalancheGo
 * 1.14.2 (legacy-examples.json). Of an example only
 * the address of the node, the network and its addresses are changed.
 *
 * An example is made for the author's chain, so some fail on any other one: they name assets and transactions that only his had. They fail with
 * the same text. `createKeypair` prints a random address.
 *
 * To record the outputs again: `AVALANCHEGO=/path/to/avalanchego SERAC_WRITE_GOLDEN=1 bun test ./stories/legacy-examples.story.ts`.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'node:util';
import { utils } from 'avalanche';
import { startAvalancheGo } from '../../avalanchego.ts';
import { makeImportable } from './atomic.ts';
import { ewoq } from './avalanchejs.ts';
import golden from './legacy-examples.json' with { type: 'json' };
import { local, oneAvax } from './local-network.ts';
import { refusedHosts } from './loopback-only.ts';
import { type Node, nodeOf, startNode, waitForAccepted } from './node.ts';

/** Examples in the order in which they run. Each list begins on a new chain, since most examples spend all the money of the key. */
const groups: { readonly [name: string]: readonly string[] } = {
  'that send nothing': [
    'JSONXChainTx addressFromBuffer baseEndpoint createAddress createKeypair createTXID genesisData getAVAXAssetID getAllBalances',
    'getAssetDescription getBalance getBlockchainAlias getBlockchainID getCreationTxFee getDefaultCreationTxFee getDefaultTxFee getInterfaces',
    'getTx getTxFee getTxStatus keyChain listAddresses newKeyChain parseAddress refreshBlockchainID setAVAXAssetID setBlockchainAlias',
    'setCreationTxFee setTxFee',
  ]
    .join(' ')
    .split(' '),
  'of BaseTx': ['buildBaseTx-avax', 'baseTx-avax', 'baseTx-avax-create-multisig', 'baseTx-avax-send-multisig'],
  'of assets': ['buildCreateAssetTx', 'buildSECPMintTx', 'buildBaseTx-ant', 'baseTx-ant'],
  'of assets by hand': ['createAssetTx-ant', 'operationTx-mint-ant'],
  'of NFTs': ['buildCreateNFTAssetTx', 'buildCreateNFTMintTx', 'buildNFTTransferTx'],
  'of NFTs by hand': ['createAssetTx-nft', 'operationTx-mint-nft'],
  'of exports to P': ['buildExportTx-PChain'],
  'of exports to P by hand': ['exportTx-avax-pchain'],
  'of exports to several owners': ['exportTx-avax-to-the-pchain-and-create-a-multisig-atomic-utxo'],
  'of exports to C': ['buildExportTx-cchain-ant', 'buildExportTx-cchain-avax'],
  'of exports of assets to C by hand': ['exportTx-ant-cchain'],
  'of exports to C by hand': ['exportTx-avax-cchain'],
  'of imports': ['buildImportTx-PChain', 'buildImportTx-cchain'],
  'of imports by hand': ['importTx-pchain', 'importTx-cchain'],
};

const examples = join(dirname(Bun.resolveSync('avalanche/package.json', import.meta.dir)), 'examples/avm');
const avalancheGo = process.env.AVALANCHEGO;

/** The chain of a group: a new AvalancheGo, or the one Serac, taken back to its genesis. */
async function openChain(): Promise<Node> {
  if (avalancheGo !== undefined) return nodeOf(await startAvalancheGo(avalancheGo));
  await (await serac).call('/ext/dev', 'dev.reset');
  return { ...(await serac), close: async () => undefined };
}
const serac = avalancheGo === undefined ? startNode() : Promise.reject(new Error('not started'));
serac.catch(() => undefined);
afterAll(async () => {
  if (avalancheGo === undefined) await (await serac).close();
  expect(refusedHosts).toEqual([]);
});

let chain: Node;
Bun.plugin({
  name: 'examples of avalanche',
  setup: (build) => {
    build.onLoad({ filter: /avalanche\/examples\/avm\/[^/]+\.ts$/ }, async ({ path }) => {
      const { hostname, port } = new URL(chain.url);
      const contents = (await Bun.file(path).text())
        .replace(/^const ip: string = .*$/m, `const ip: string = '${hostname}'`)
        .replace(/^const port: number = .*$/m, `const port: number = ${port}`)
        .replace(/^const protocol: string = .*$/m, `const protocol: string = 'http'`)
        .replace(/^const networkID: number = .*$/m, `const networkID: number = ${local.networkID}`)
        .replaceAll('X-custom18jma8ppw3nhx5r4ap8clazz0dps7rv5u9xde7p', ewoq.addressOn('X'))
        .replace(/^main\(\)$/m, 'export default main()');
      return { contents, loader: 'ts' };
    });
  },
});
// The client has the C-Chain's ID of a genesis before 2023; the examples of the C-Chain need today's.
const { C: cChain } = utils.Defaults.network[local.networkID]!;
const outdatedID = cChain.blockchainID;
beforeAll(() => {
  cChain.blockchainID = local.cBlockchainID;
});
afterAll(() => {
  cChain.blockchainID = outdatedID;
});

/** What an example prints, or the message of its error. The transaction that it names is accepted afterwards. */
async function outputOf(example: string): Promise<string> {
  const printed: string[] = [];
  const { log } = console;
  console.log = (...values: unknown[]) => printed.push(format(...values));
  try {
    await ((await import(join(examples, `${example}.ts`))) as { default: Promise<unknown> }).default;
  } catch (error) {
    printed.push(`throws: ${(error as Error).message}`);
  } finally {
    console.log = log;
  }
  const text = printed.join('\n').replaceAll(new URL(chain.url).port, '9650');
  const txID = /Success! TXID: (\w+)/.exec(text)?.[1];
  if (txID !== undefined)
    await waitForAccepted(async () => (await chain.call<{ status: string }>('/ext/bc/X', 'avm.getTxStatus', { txID })).status);
  return text;
}

/** Puts AVAX of the P- and the C-Chain into shared memory: on Serac the outputs that the exports on AvalancheGo had. */
async function addImportable(): Promise<void> {
  for (const source of ['P', 'C'] as const)
    if (avalancheGo === undefined) await chain.call('/ext/dev', 'dev.addAtomicUTXO', { sourceChain: source, utxo: golden.utxos[source] });
    else {
      await makeImportable(chain, source, ewoq.address, oneAvax);
      const query = { addresses: [ewoq.addressOn('X')], sourceChain: source };
      recorded.utxos[source] = (await chain.call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', query)).utxos[0] as string;
    }
}

/** The output of `createKeypair` without the random key and its address. */
const hideKey = (text: string): string => text.replaceAll(/'(X-local1|PrivateKey-)?\w{30,}'/g, "'$1…'");

type Recorded = { readonly utxos: { P: string; C: string }; readonly outputs: { [example: string]: string } };
const recorded: Recorded = { utxos: { P: '', C: '' }, outputs: {} };
const expected: Recorded = golden;

test('every example of the package is in a group', () => {
  const files = readdirSync(examples).filter((file) => file.endsWith('.ts'));
  expect(
    Object.values(groups)
      .flat()
      .map((example) => `${example}.ts`)
      .sort(),
  ).toEqual(files.sort());
  expect(files).toHaveLength(55);
});

for (const [group, names] of Object.entries(groups))
  test(`avalanche 3.16: examples ${group} print what they print on AvalancheGo`, async () => {
    chain = await openChain();
    try {
      if (group.startsWith('of imports')) await addImportable();
      const outputs: { [example: string]: string } = {};
      for (const example of names)
        outputs[example] = example === 'createKeypair' ? hideKey(await outputOf(example)) : await outputOf(example);
      Object.assign(recorded.outputs, outputs);
      if (process.env.SERAC_WRITE_GOLDEN !== undefined) return;
      expect(outputs).toEqual(Object.fromEntries(names.map((example) => [example, expected.outputs[example] as string])));
    } finally {
      await chain.close();
    }
  }, 120_000);

test.skipIf(process.env.SERAC_WRITE_GOLDEN === undefined)('the outputs are written', async () => {
  await Bun.write(join(import.meta.dir, 'legacy-examples.json'), `${JSON.stringify(recorded, null, 2)}\n`);
});
