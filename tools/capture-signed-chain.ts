/**
 * Captures vectors/signed-chain.json: signed blocks of four AvalancheGo validators, the validator sets that decide who may propose them, and
 * the outputs of all addresses after the last block. Run with AVALANCHEGO set to the path of its binary and STAKER_KEYS to the folder
 * staking/local of its source.
 */

import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Utxo } from '../src/avm/tx/utxo.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, fromHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { nodeIdText } from '../src/base/bytes/node-id.ts';
import { createRpc } from '../src/chain/follow/rpc.ts';
import { fetchTransport } from '../src/chain/follow/transport.ts';
import { parseOuterBlock } from '../src/network/proposervm/outer-block.ts';
import { createMajorityReads } from '../src/network/validators/majority-reads.ts';
import { createPlatformReads } from '../src/network/validators/platform-reads.ts';
import { createTrustedValidators } from '../src/network/validators/trusted-validators.ts';
import { realTiming } from '../test/followed-chain.ts';
import { eventually } from '../test/processes.ts';
import { type StakerNode, startStakerNetwork } from '../test/staker-network.ts';
import { baseTx, createWallet, ewoq, ewoqGenesisUtxo, ownedBy, signDraft, transfer } from '../test/wallet-kit.ts';

const txs = 10;
const { AVALANCHEGO: binary, STAKER_KEYS: keys } = process.env;
if (binary === undefined || keys === undefined) throw new Error('AVALANCHEGO and STAKER_KEYS must be set');

const network = await startStakerNetwork(binary, keys, { avalancheGo: 4, flags: ['--index-enabled'] });
const { url, client } = network.nodes[0] as StakerNode;
const rpc = createRpc(url, { transport: fetchTransport(fetch), timing: realTiming });
const onUnreachable = (error: unknown) => console.log(error);
const reads = createMajorityReads([{ url, reads: createPlatformReads(url, rpc) }], realTiming.after);
const validators = createTrustedValidators({ url, reads, networkID: 12345, known: [], save: () => {}, timers: realTiming, onUnreachable });
try {
  await validators.start();
  const call = async <T>(path: string, method: string, params: unknown): Promise<T> => {
    const { result, error } = (await client.call(path, method, params)) as { result: T; error?: { message: string } };
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result;
  };
  const wallet = createWallet('signed', { keys: [ewoq] });
  let change: Utxo = ewoqGenesisUtxo;
  for (let i = 0; i < txs; i++) {
    const to = ownedBy([wallet.keys[1 + (i % 4)]!]);
    const tx = signDraft(baseTx(wallet, { utxos: [change] }, [transfer(wallet.chainParams.feeAsset, BigInt(1 + i), to)]));
    change = effectsOf(tx).created.find(({ output }) => output.addresses[0] === ewoq.address) as Utxo;
    await call('/ext/bc/X', 'avm.issueTx', { tx: formatHex('hex', tx.bytes), encoding: 'hex' });
    const status = () => call<{ status: string }>('/ext/bc/X', 'avm.getTxStatus', { txID: idText(tx.id) });
    await eventually(status, (found) => found.status === 'Accepted', 60_000);
  }
  const { height } = await call<{ height: string }>('/ext/bc/X', 'avm.getHeight', {});
  const blocks: string[] = [];
  for (let index = 0; index < Number(height); index++) {
    const params = { index: String(index), encoding: 'hex' };
    blocks.push((await call<{ bytes: string }>('/ext/index/X/block', 'index.getContainerByIndex', params)).bytes.slice(2, -8));
  }
  const sets: Record<string, Record<string, string>> = {};
  for (const block of blocks) {
    const { pChainHeight } = parseOuterBlock(fromHex(block));
    await validators.load(pChainHeight);
    sets[String(pChainHeight)] = Object.fromEntries(
      [...(validators.at(pChainHeight) ?? [])].map(([id, weight]) => [nodeIdText(id), String(weight)]),
    );
  }
  const show = createAddressFormatter('X', 'local');
  const utxos: Record<string, string[]> = {};
  for (const { address } of wallet.keys) {
    const params = { addresses: [show(address)], limit: 1024, encoding: 'hex' };
    utxos[show(address)] = (await call<{ utxos: string[] }>('/ext/bc/X', 'avm.getUTXOs', params)).utxos.map((text) => text.slice(2)).sort();
  }
  const about =
    'Captured by tools/capture-signed-chain.ts from four nodes of AvalancheGo v1.14.2, network-id local (12345), keys of stakers 1 to 4, sybil ' +
    'protection on. blocks: containers of index.getContainerByIndex, from height 1 on, without checksums. sets: validators by P-Chain height. ' +
    'utxos: avm.getUTXOs of every address after the last block, sorted, with checksums.';
  await Bun.write(new URL('../vectors/signed-chain.json', import.meta.url), `${JSON.stringify({ about, sets, blocks, utxos })}\n`);
  console.log({ height, sets });
} finally {
  validators.stop();
  rpc.close();
  await network.stop();
}
