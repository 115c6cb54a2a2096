// A program that uses every entry point of the package: test/types.test.ts compiles it, strictly, with every supported version of TypeScript.
import {
  createNode,
  createTestnet,
  type ErrorByCode,
  type ErrorCode,
  isSeracError,
  type LocalNode,
  type NodeOptions,
  OptionError,
  SeracError,
  type Testnet,
  type TestnetNode,
  type TestnetOptions,
} from 'serac';
import { type Client, createClient } from 'serac/client';
import {
  addSignatures,
  baseTx,
  type Draft,
  ownedBy,
  parseAddress,
  parseKey,
  parseUtxoText,
  readChainParams,
  signDraft,
  type Tx,
  transfer,
  watchOnlyKey,
} from 'serac/codec';
import { createTest as createJestTest, test as jestTest } from 'serac/jest';
import { createTest as createNodeTest, test as nodeTest } from 'serac/node-test';
import { createTest as createVitestTest, test as vitestTest } from 'serac/vitest';

const options: NodeOptions = {
  networkId: 'fuji',
  strict: true,
  minBlockDelay: '1s',
  txFee: 5n,
  dbType: 'memdb',
  log: (line, level) => console.log(level, line),
};
const node: LocalNode = await createNode(options);
const url: string | undefined = node.url;
const client: Client = createClient({ url: 'http://127.0.0.1:9650', token: 'secret' });
const balance: bigint = (await client.avm.getBalance({ address: '', assetID: 'AVAX' })).balance;
const height: number = (await node.dev.revert('clean')).height;
const amount: bigint | undefined = (await node.avm.getTx({ txID: '', encoding: 'json' })).tx.unsignedTx.outputs[0]?.output.amount;
const hex: string = (await node.avm.getTx('')).tx;
for await (const event of node.events({ kind: 'tx' })) {
  const change: bigint | undefined = event.balanceChanges[0]?.change;
  console.log(change);
}
const response: Response = await node.fetch('/v1/networks');
await node[Symbol.asyncDispose]();

const testnetOptions: TestnetOptions = { networkId: 1337, upgradeAt: ['granite=30s'], txFee: 5n, timeout: 1 };
const testnet: Testnet = await createTestnet(3, testnetOptions);
const added: TestnetNode = await testnet.add();
const shown: bigint | undefined = added.status().height;
const held: bigint = (await added.avm.getBalance({ address: '', assetID: 'AVAX' })).balance;
await testnet.latency(100, 1, 2);
await testnet[Symbol.asyncDispose]();
console.log(shown, held);
// @ts-expect-error: nodes have numbers
await testnet.kill('2');
// @ts-expect-error: a misspelled option
await createTestnet(3, { networkID: 1337 });

// @ts-expect-error: an amount is missing
await node.dev.send({ to: '' });
// @ts-expect-error: no such method
await node.dev.sned({});
// @ts-expect-error: the library has no port option
await createNode({ httpPort: 1 });
// @ts-expect-error: a misspelled option
await createNode({ blocktime: 1 });
// @ts-expect-error: a boolean
await createNode({ strict: 'yes' });
// @ts-expect-error: not one of the values
await createNode({ dbType: 'oracle' });

const chainParams = await readChainParams(client);
const key = parseKey('');
const draft: Draft = baseTx({ keys: [key, watchOnlyKey(parseAddress(''))], chainParams }, { utxos: [parseUtxoText('')] }, [
  transfer(chainParams.feeAsset, 5n, ownedBy([key])),
]);
const tx: Tx = addSignatures(signDraft(draft), [], [key]);
const bytes: Uint8Array = tx.bytes;

/** What a program does with the errors it knows. */
export function explain(error: unknown): string {
  if (!isSeracError(error)) throw error;
  switch (error.code) {
    case 'DEV_INSUFFICIENT_FUNDS': {
      const missing: bigint = BigInt(error.data.need) - BigInt(error.data.have);
      return `${missing} of ${error.data.assetID} are missing`;
    }
    case 'TX_UTXO_NOT_FOUND':
      return error.data.spentBy ?? error.data.createdByStatus ?? '';
    case 'NODE_TIMEOUT':
      return `${error.data.milliseconds + 1}`;
    case 'OPTION_UNKNOWN':
      return error.data.didYouMean ?? error.data.option;
    case 'RPC_ERROR': {
      // @ts-expect-error: what another node gives is not known
      error.data.reason;
      return error.method ?? '';
    }
    // @ts-expect-error: there is no such code
    case 'DEV_INSUFICIENT_FUNDS':
      return '';
    default:
      // @ts-expect-error: only some codes have it
      error.data.need;
      return error.message;
  }
}
const code: ErrorCode = 'EVENTS_LOST';
const lost = (error: ErrorByCode<'EVENTS_LOST'>): string | undefined => error.data.lastEventId;
const known: boolean = new SeracError('', { code: 'NODE_CLOSED' }) instanceof OptionError;

jestTest('pays', async ({ node }) => void (await node.dev.mine(1)), 5000);
jestTest.concurrent('pays', ({ node }) => node.avm.getHeight());
createJestTest({ accounts: 1 }).only('pays', () => {});
nodeTest('pays', { timeout: 5000 }, async ({ node }, t) => t.diagnostic(String((await node.avm.getHeight()).height)));
createNodeTest({ accounts: 1 }).skip('pays', () => {});
vitestTest('pays', async ({ node }) => void (await node.dev.mine(1)));
createVitestTest({ accounts: 1 })('pays', () => {});
// @ts-expect-error: a test has no chain
jestTest('pays', ({ chain }) => chain);

export { amount, balance, bytes, code, height, hex, known, lost, response, url };
