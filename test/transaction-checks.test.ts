import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTx, type Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo } from '../src/avm/tx/utxo.ts';
import { sha256 } from '../src/base/bytes/hash.ts';
import { formatHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { chainRoot } from './data-requests.ts';
import { createClient } from './http.ts';
import { childrenOf, eventually } from './processes.ts';
import { type Program, startProgram } from './program.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, localChainParams, ownedBy, signDraft, transfer } from './wallet-kit.ts';

/** The checks of a refused transaction, on a node with a reader process, while the writer process recovers the signers of many others. */

const signatures = 150;
const variants = 300;
const wallet = createWallet('checks', { keys: [ewoq], count: signatures });
const owners = wallet.keys.slice(1);
const folder = mkdtempSync(join(tmpdir(), 'serac-checks-'));
let node: Program;

const funding = signDraft(
  baseTx(wallet, { utxos: [ewoqGenesisUtxo] }, [transfer(localChainParams.feeAsset, 10_000_000n, ownedBy(owners, signatures))]),
);
const at = funding.unsigned.outputs.findIndex(({ output }) => output.addresses.length === signatures);
const shared = funding.unsigned.outputs[at] as (typeof funding.unsigned.outputs)[number];
const signed = signDraft(baseTx(wallet, { utxos: [makeUtxo(funding.id, at, shared.assetID, shared.output)] }, []));

/** The signed transaction with a last signature that nobody has made, so that all before it have to be recovered. */
function wronglySigned(number: number): Tx {
  const credential = signed.credentials[0] as { readonly signatures: readonly Uint8Array[] };
  const junk = Buffer.concat([sha256(Buffer.from([number >> 8, number & 255])), new Uint8Array(32).fill(1), Buffer.from([0])]);
  return makeTx(signed.unsigned, [{ kind: 'secp256k1fx.Credential', signatures: [...credential.signatures.slice(0, -1), junk] }]);
}

/** Sends a request on a connection of its own, which any of the processes may get. */
const onNewConnection = async <T>(use: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> => {
  const client = createClient(node.port);
  return use(client).finally(client.close);
};

const issue = (tx: Tx) =>
  onNewConnection((client) => client.call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' }));

beforeAll(async () => {
  node = await startProgram('--workers=1', `--data-dir=${folder}`);
  await issue(funding);
  await eventually(
    async () => JSON.stringify((await node.client.call('/ext/health', 'health.health', {})).result),
    (report) => report.includes('"serving":1'),
  );
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('are answered, with 503 while too many signatures wait, and the writer process goes on', async () => {
  const refused = wronglySigned(0);
  expect((await issue(refused)).error?.message).toMatch(/invalid signature|wrong signature/);
  const path = `${chainRoot}/transactions/${idText(refused.id)}/checks`;
  const getChecks = () => onNewConnection((client) => client.send('GET', path));
  expect(JSON.parse((await getChecks()).text)).toMatchObject({ isIssuable: false });

  const readers = childrenOf(node.pid);
  const issued = Array.from({ length: variants }, (_, i) => issue(wronglySigned(i + 1)));
  let isDone = false;
  const done = Promise.all(issued).finally(() => {
    isDone = true;
  });
  const answers = new Map<number, string>();
  while (!isDone) for (const { status, text } of await Promise.all(Array.from({ length: 8 }, getChecks))) answers.set(status, text);
  await done;
  expect([...answers.keys()].sort()).toEqual([200, 503]);
  expect(JSON.parse(answers.get(503) ?? '')).toMatchObject({ statusCode: 503, message: expect.stringContaining('many signatures') });

  expect((await getChecks()).status).toBe(200);
  expect(childrenOf(node.pid)).toEqual(readers);
  expect(await Promise.race([node.exited, Bun.sleep(100)])).toBeUndefined();
});
