/**
 * Captures vectors/outer-chain.json: blocks of a real AvalancheGo with their wrappers, and the outputs of all addresses after the last one.
 * Run with AVALANCHEGO set to the path of its binary. Takes a minute, so that several epochs begin.
 */

import { consumedIds } from '../src/avm/tx/effects.ts';
import { parseTx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, toHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { startAvalancheGo } from '../test/avalanchego.ts';
import { localModel, pChain } from '../test/local-chain.ts';
import { platformExport } from '../test/platform-export.ts';
import { eventually } from '../test/processes.ts';
import { createRandom } from '../test/random.ts';
import { createTxGenerator } from '../test/tx-generator.ts';
import { createWallet, ewoq } from '../test/wallet-kit.ts';

const rounds = 18;
const pause = 3000;
const binary = process.env.AVALANCHEGO;
if (binary === undefined) throw new Error('AVALANCHEGO must be the path of the binary');

const node = await startAvalancheGo(binary, { flags: ['--index-enabled'] });
try {
  const call = async <T>(path: string, method: string, params: unknown): Promise<T> => {
    const { result, error } = await node.client.call(path, method, params);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result as T;
  };
  const random = createRandom(7);
  const wallet = createWallet('outer', { keys: [ewoq], count: 3 });
  const model = localModel();
  const now = () => BigInt(Math.floor(Date.now() / 1000));
  const generator = createTxGenerator(
    { random, model, wallet, now, lockedUntil: () => now() + 1_000_000n, chains: [pChain], holdsPending: false },
    0,
  );
  const show = { X: createAddressFormatter('X', 'local'), P: createAddressFormatter('P', 'local') };

  const page = await call<{ utxos: string[] }>('/ext/bc/P', 'platform.getUTXOs', { addresses: [show.P(ewoq.address)] });
  const fromP = platformExport(wallet, page.utxos, random);
  await call('/ext/bc/P', 'platform.issueTx', { tx: formatHex('hex', fromP.bytes), encoding: 'hex' });
  await eventually(
    () => call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', { addresses: [show.X(ewoq.address)], sourceChain: 'P' }),
    ({ utxos }) => utxos.length > 0,
    30_000,
  );
  for (const utxo of fromP.utxos) model.deposit(pChain, utxo);

  for (let round = 0; round < rounds; round++) {
    generator.reset();
    const batch = Array.from({ length: 2 }, generator.next).flatMap((one) => (one === undefined ? [] : [parseTx(one.bytes)]));
    for (const tx of batch) await call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    for (const tx of batch) {
      const status = () => call<{ status: string }>('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
      await eventually(status, (found) => found.status === 'Accepted', 30_000);
      model.apply(tx);
    }
    await Bun.sleep(pause);
  }

  const { height } = await call<{ height: string }>('/ext/bc/X', 'avm.getHeight', {});
  const blocks: string[] = [];
  for (let index = 0; index < Number(height); index++) {
    const { bytes } = await call<{ bytes: string }>('/ext/index/X/block', 'index.getContainerByIndex', {
      index: String(index),
      encoding: 'hex',
    });
    blocks.push(bytes.slice(2, -8));
  }
  const addresses = [...new Set([...model.utxos.values()].flatMap(({ output }) => output.addresses))].sort();
  const utxos: Record<string, string[]> = {};
  for (const address of addresses) {
    const found = await call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', {
      addresses: [show.X(address)],
      limit: 1024,
      encoding: 'hex',
    });
    utxos[show.X(address)] = found.utxos.map((text) => text.slice(2)).sort();
  }
  const kinds = [...new Set(model.accepted.map(({ unsigned }) => unsigned.kind))];
  const first = (await call<{ block: string }>('/ext/bc/X', 'avm.getBlockByHeight', { height: '0', encoding: 'hex' })).block.slice(2, -8);
  const imported = new Set(model.accepted.flatMap(consumedIds));
  const exported = fromP.utxos.filter(({ id }) => imported.has(id)).map(({ bytes }) => toHex(bytes));
  const about =
    'Captured by tools/capture-outer-chain.ts from AvalancheGo v1.14.2, network-id local (12345), one node, sybil protection off, block delay 0. ' +
    'blocks: containers of index.getContainerByIndex, from height 1 on, without checksums. utxos: avm.getUTXOs of every address after the last ' +
    'block, sorted, with checksums. fromP: outputs that the P-Chain exported before block 1 and these blocks import.';
  await Bun.write(
    new URL('../vectors/outer-chain.json', import.meta.url),
    `${JSON.stringify({ about, kinds, first, fromP: exported, blocks, utxos })}\n`,
  );
  console.log({ height, kinds });
} finally {
  await node.stop();
}
