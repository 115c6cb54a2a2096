import { expect, test } from 'bun:test';
import { avmRows } from '../src/api/contract/avm-methods.ts';
import { formatHex, parseHex } from '../src/base/bytes/hex.ts';
import errors from '../vectors/errors.json' with { type: 'json' };
import scenario from '../vectors/scenario-txs.json' with { type: 'json' };
import { startAvalancheGo } from './avalanchego.ts';
import { readCorpus } from './fuzz/corpus.ts';
import { mutateInput } from './fuzz/mutations.ts';
import { startProgram } from './program.ts';
import { recordProof } from './proofs/proof.ts';
import { createRandom, type Random } from './random.ts';

/** Sends captured requests and transactions with random changes to AvalancheGo and to Serac. Every answer must be identical. */
const binary = process.env.AVALANCHEGO;
const count = Number(process.env.SERAC_DIFFERENTIAL_REQUESTS ?? 20_000);
const seed = Number(process.env.SERAC_SEED ?? 3);
/** Requests that are sent at once. */
const atOnce = 20;
const maxBytes = 3000;

const paths = ['/ext/bc/X', '/ext/bc/X', '/ext/bc/X', '/ext/bc/X/wallet', '/ext/info'] as const;
const words = [
  ...Object.keys(avmRows).map((name) => `avm.${name}`),
  ...[
    'info.getNodeID',
    'info.getTxFee',
    'info.isBootstrapped',
    'wallet.issueTx',
    'params',
    'encoding',
    'hex',
    'json',
    'AVAX',
    'null',
    '"id":',
    '[]',
    '{}',
  ],
  'X-local18jma8ppw3nhx5r4ap8clazz0dps7rv5u00z96u',
].map((word) => Buffer.from(word));

/** Bodies of captured requests, and those that cover most of the code that reads them. The first character of the latter is no part of the body. */
const seeds: readonly Uint8Array[] = [
  ...errors.flatMap(({ body }) => (typeof body === 'string' ? [Buffer.from(body)] : [])),
  ...readCorpus('json-rpc').inputs.map((input) => input.subarray(1)),
].filter(({ length }) => length > 1 && length < maxBytes);

const txs = scenario.steps.flatMap((step) => (step.tx !== undefined && step.tx.length < maxBytes ? [parseHex('hexnc', step.tx)] : []));

type Call = { readonly path: string; readonly body: Uint8Array };

const changedBody = (random: Random): Call => ({
  path: random.pick(paths),
  body: mutateInput(random, random.pick(seeds), { words, others: seeds, maxBytes }),
});

/** Never one of the originals: until both nodes have accepted it, they would answer differently. */
function changedTx(random: Random): Call {
  const changed = mutateInput(random, random.pick(txs), { words: typeIDs, others: txs, maxBytes });
  if (txs.some((tx) => Buffer.from(tx).equals(changed))) return changedTx(random);
  const params = `{"tx":"${formatHex('hex', changed)}","encoding":"hex"}`;
  return { path: '/ext/bc/X', body: Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"avm.issueTx","params":${params}}`) };
}
/** The IDs of all types of the codec, and one more. */
const typeIDs = Array.from({ length: 24 }, (_, id) => Buffer.from([0, 0, 0, id]));

async function answerOf(url: string, { path, body }: Call): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
  });
  return `${response.status} ${response.headers.get('content-type')} ${withoutOwn(await response.text())}`;
}

/** What each node has of its own: its ID and its BLS key and proof. */
const withoutOwn = (text: string): string => text.replace(/NodeID-\w+/g, 'NodeID-').replace(/"0x(?:[0-9a-f]{96}|[0-9a-f]{192})"/g, '"0x"');

/** Serac bounds what one request may cost (docs/understand/differences.md). */
const isLimit = (answer: string): boolean => /an object of the request has more than|the request has more than|longer than/.test(answer);

if (binary === undefined) console.log('skipped: requests to AvalancheGo and Serac; set AVALANCHEGO to the path of its binary');
else
  test(`${count} changed requests, seed ${seed}: AvalancheGo and Serac give the same answers`, async () => {
    const [avalanchego, serac] = await Promise.all([startAvalancheGo(binary), startProgram('--strict', '--log-level=warn')]);
    try {
      const random = createRandom(seed);
      const found: string[] = [];
      for (let sent = 0; sent < count && found.length < 10; sent += atOnce)
        await Promise.all(
          Array.from({ length: atOnce }, async () => {
            const call = random.below(3) === 0 ? changedTx(random) : changedBody(random);
            const [theirs, ours] = await Promise.all([answerOf(avalanchego.url, call), answerOf(serac.url, call)]);
            if (theirs !== ours && !isLimit(ours))
              found.push(
                `${call.path} ${JSON.stringify(Buffer.from(call.body).toString('latin1'))}\nAvalancheGo: ${theirs}\nSerac: ${ours}`,
              );
          }),
        );
      recordProof('differential-requests', count, { seed, requests: count }, found);
      expect(found).toEqual([]);
    } finally {
      await Promise.all([avalanchego.stop(), serac.stop()]);
    }
  }, 3_600_000);
