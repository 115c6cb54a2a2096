import { fileURLToPath } from 'node:url';
import { configFrom } from '../src/app/config/config.ts';
import { parseFlags } from '../src/app/config/flags.ts';
import { createBunEnv } from '../src/app/platform/bun/env.ts';
import { startNode } from '../src/app/programs/start-node.ts';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { parseUtxo, refId, type Utxo } from '../src/avm/tx/utxo.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { createLog } from '../src/base/log/log.ts';
import { baseTx, createWallet, ewoq, type Key, localChainParams, ownedBy, signDraft, transfer } from '../test/wallet-kit.ts';
import { formatXAddress } from './fixture.ts';

/**
 * Measures snapshots as a test suite uses them: `bun bench/revert.ts [FLAGS]` with flags of the node, such as --data-dir DIR. The chain gets
 * 10,000 UTXOs; then each round sends three transactions and reverts. At the end, reverts of many.
 */
const parsed = parseFlags(['--http-port=0', '--workers=0', ...process.argv.slice(2)], { home: '', vars: {}, readFile: () => '' });
if (parsed.kind !== 'run') throw new RangeError('bad flags');
const log = createLog(
  () => {},
  () => 'error',
);
const env = createBunEnv({ version: '0', log, program: fileURLToPath(import.meta.url) });
const node = await startNode(configFrom(parsed.options), env);

const call = async <T>(path: string, method: string, params: unknown): Promise<T> => {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const header = (name: string) => (name === 'content-type' ? 'application/json' : null);
  const response = await node.handler({ method: 'POST', path, query: '', header, body: async () => body });
  const { result, error } = JSON.parse(Buffer.from(response.body as string).toString()) as { result: T; error?: { message: string } };
  if (error !== undefined) throw new RangeError(error.message);
  return result;
};
const dev = <T>(method: string, params: unknown = {}) => call<T>('/ext/dev', `dev.${method}`, params);

const wallet = createWallet('bench', { keys: [ewoq], count: 50 });
const { feeAsset } = localChainParams;
const owned = await call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', { addresses: [formatXAddress(ewoq.address)], limit: 1024 });
let utxos: readonly Utxo[] = owned.utxos
  .map((text) => parseUtxo(parseHex('hex', text)))
  .filter(({ assetID, output }) => assetID === feeAsset && 'amount' in output && output.amount > 10n ** 15n);

async function send(outputs: number): Promise<void> {
  const pieces = Array.from({ length: outputs }, (_, i) => transfer(feeAsset, 1n, ownedBy([wallet.keys[1 + (i % 50)] as Key])));
  const tx: Tx = signDraft(baseTx(wallet, { utxos, memo: Buffer.from(String(Math.random())) }, pieces));
  await call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
  while ((await call<{ status: string }>('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) })).status !== 'Accepted')
    await new Promise(setImmediate);
  const { created, spent } = effectsOf(tx);
  const spentIDs = spent.map(refId);
  utxos = [...utxos.filter(({ id }) => !spentIDs.includes(id)), ...created.filter(({ output }) => output.addresses[0] === ewoq.address)];
}

/** Wall-clock and CPU time in milliseconds. */
type Sample = { readonly wall: number; readonly cpu: number };
const samples = new Map<string, Sample[]>();
async function measure<T>(name: string, work: () => Promise<T>): Promise<T> {
  const [start, usage] = [performance.now(), process.cpuUsage()];
  const result = await work();
  const { user, system } = process.cpuUsage(usage);
  samples.set(name, [...(samples.get(name) ?? []), { wall: performance.now() - start, cpu: (user + system) / 1000 }]);
  return result;
}

for (let i = 0; i < 20; i++) await send(500);
for (let i = 0; i < 60; i++) await measure('send, without snapshots', () => send(1));
await measure('first snapshot', () => dev('snapshot', { name: 'clean' }));
for (let i = 0; i < 60; i++) await measure('send, with a snapshot', () => send(1));
await dev('snapshot', { name: 'clean' });
const clean = utxos;
for (let round = 0; round < 60; round++) {
  for (let i = 0; i < 3; i++) await send(1);
  await measure('revert of three transactions', () => dev('revert', { name: 'clean' }));
  utxos = clean;
}
for (let round = 0; round < 30; round++) await measure('snapshot', () => dev('snapshot', { name: `s${round}` }));
for (let round = 0; round < 60; round++) {
  for (let i = 0; i < 3; i++) await send(1);
  await measure('revert of three transactions, 31 snapshots', () => dev('revert', { name: round % 2 === 0 ? 'clean' : 's3' }));
  utxos = clean;
}
/** Transactions with 500 outputs each: about 95,000 rows that the revert restores, all in one turn of the event loop. */
const manyTxs = 156;
for (let round = 0; round < 3; round++) {
  for (let i = 0; i < manyTxs; i++) await send(500);
  await measure(`revert of ${manyTxs} transactions with 500 outputs`, () => dev('revert', { name: 'clean' }));
  utxos = clean;
}
for (const [name, all] of samples) {
  const median = (of: keyof Sample) => (all.map((sample) => sample[of]).sort((a, b) => a - b)[all.length >> 1] ?? 0).toFixed(2);
  console.log(`${name.padEnd(45)} median ${median('wall')} ms, CPU ${median('cpu')} ms   (${all.length})`);
}
await node.close();
