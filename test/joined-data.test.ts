import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { effectsOf } from '../src/avm/tx/effects.ts';
import type { Tx } from '../src/avm/tx/tx.ts';
import { makeUtxo, type Utxo } from '../src/avm/tx/utxo.ts';
import { idOf, idText } from '../src/base/bytes/id.ts';
import { type BlockPeer, openBlockPeer } from './block-peer.ts';
import { chainRoot, type Json, plainAddress, sendRequest } from './data-requests.ts';
import type { Client } from './http.ts';
import { pChain } from './local-chain.ts';
import { isBootstrapped, issueTo, type NetworkNode, untilAcceptedBy } from './network-nodes.ts';
import { innerOf, wrap } from './peer-block.ts';
import { eventually } from './processes.ts';
import { type Program, runProgram, startProgramAsUsers } from './program.ts';
import {
  createWallet,
  ewoq,
  ewoqGenesisUtxo,
  exportTx,
  importTx,
  type Key,
  localChainParams,
  ownedBy,
  signDraft,
  transfer,
} from './wallet-kit.ts';

/** The Data API of a joined node, which does not know what other chains exported to its chain, nor what they imported from it. */

const folder = mkdtempSync(join(tmpdir(), 'serac-joined-data-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wallet = createWallet('joined data', { keys: [ewoq], count: 4 });
const [, importer, second, silent, receiver] = wallet.keys as [Key, Key, Key, Key, Key];
const avax = 1_000_000_000n;

/** Outputs that the P-Chain exported: of one owner, and of three owners of which the last two sign. */
const deposits: readonly Utxo[] = [ownedBy([importer]), ownedBy([silent, importer, second], 2)].map((owners, i) =>
  makeUtxo(
    idOf(Buffer.from('an export of the P-Chain')),
    i,
    localChainParams.feeAsset,
    transfer(localChainParams.feeAsset, BigInt(i + 2) * avax, owners).output,
  ),
);

const [, shared] = deposits as [Utxo, Utxo];

const getJson = async (client: Client, path: string): Promise<Json> => {
  const { status, json } = await sendRequest(client, { path: `${chainRoot}${path}` });
  expect([path, status]).toEqual([path, 200]);
  return json;
};

const txsOf = async (client: Client, key: Key): Promise<string[]> =>
  (await getJson(client, `/transactions?addresses=${plainAddress(key)}`)).transactions.map(({ txHash }: Json) => txHash);

const sum = (amounts: readonly Json[]): bigint => amounts.reduce((total, { amount }) => total + BigInt(amount), 0n);

test('a joined node shows imports by their signatures, and marks what it cannot know', async () => {
  const dataDir = join(folder, 'node');
  const flags = ['--network-id=local', '--sybil-protection-enabled=false', '--staking-host=127.0.0.1', '--staking-port=0'];
  let program: Program | undefined;
  let peer: BlockPeer | undefined;
  try {
    program = await startProgramAsUsers('join', ...flags, `--data-dir=${dataDir}`, '--proposervm-min-block-delay=0s');
    const { client } = program;
    const node: NetworkNode = { name: 'Serac', client };
    await eventually(
      () => isBootstrapped(node),
      (isDone) => isDone,
      30_000,
    );
    // Of exports it is not known whether the P-Chain has imported them.
    const outputs = [transfer(localChainParams.feeAsset, 5n * avax, ownedBy([receiver]))];
    const exported = signDraft(exportTx(wallet, { utxos: [ewoqGenesisUtxo], change: ownedBy([ewoq]) }, pChain, outputs));
    await issueTo(node, exported);
    await untilAcceptedBy([node], exported.id, 30_000);
    const output = effectsOf(exported).exported?.utxos[0] as Utxo;
    const mark = { mayBeImported: true };
    const { emittedUtxos } = await getJson(client, `/transactions/${idText(exported.id)}`);
    expect(emittedUtxos.filter(({ mayBeImported }: Json) => mayBeImported).map(({ utxoId }: Json) => utxoId)).toEqual([idText(output.id)]);
    expect(await getJson(client, `/utxos/${idText(output.id)}`)).toMatchObject(mark);
    const { utxos } = await getJson(client, `/utxos?addresses=${plainAddress(receiver)}`);
    expect(utxos).toMatchObject([{ utxoId: idText(output.id), ...mark }]);
    const { balances } = await getJson(client, `/balances?addresses=${plainAddress(receiver)}`);
    expect(balances.atomicMemoryUnlocked).toMatchObject([{ amount: `${5n * avax}`, sharedWithChainId: idText(pChain), ...mark }]);
    expect((await getJson(client, '/cross-chain/balances')).outbound).toMatchObject([{ chainId: idText(pChain), ...mark }]);
    expect((await getJson(client, '/cross-chain/transfers')).transfers[0]).toMatchObject({ direction: 'export', ...mark });

    // A peer sends a block with an import, which no node can verify completely.
    const { ip } = (await client.call('/ext/info', 'info.getNodeIP')).result as unknown as { ip: string };
    const connected = await openBlockPeer({ ip: '127.0.0.1', port: Number(ip.split(':')[1]) });
    peer = connected;
    const decide = async (tx: Tx): Promise<void> => {
      const tip = await connected.readTip();
      const block = wrap({ tip }, innerOf({ tip, tx }));
      connected.voteFor(block.id, block.bytes);
      await connected.push(block.bytes, tip.inner.height + 1n);
      await untilAcceptedBy([node], tx.id, 30_000);
    };

    // `silent` does not sign.
    const signing = { ...wallet, keys: wallet.keys.filter((key) => key !== silent) };
    const imported = signDraft(importTx(signing, { utxos: [], change: ownedBy([receiver]) }, pChain, deposits));
    await decide(imported);
    const tx = await getJson(client, `/transactions/${idText(imported.id)}`);
    expect(tx.consumedUtxos.map(({ utxoId }: Json) => utxoId).sort()).toEqual(deposits.map(({ id }) => idText(id)).sort());
    expect(sum(tx.consumedUtxos.map(({ asset }: Json) => asset))).toBe(sum(tx.amountUnlocked));
    for (const one of tx.consumedUtxos) {
      const isShared = one.utxoId === idText(shared.id);
      expect(one).toMatchObject({ isIncomplete: true, locktime: 0, threshold: isShared ? 2 : 1, createdOnChainId: idText(pChain) });
      expect(one.addresses.toSorted()).toEqual((isShared ? [importer, second] : [importer]).map(plainAddress).sort());
      expect(one.utxoBytes).toBeUndefined();
      expect(one.credentials).toHaveLength(isShared ? 2 : 1);
      for (const { publicKey } of one.credentials) expect(publicKey).toBeString();
    }
    // The senders of the import have it in their histories, although none of its outputs is theirs.
    for (const key of [importer, second]) expect(await txsOf(client, key)).toEqual([idText(imported.id)]);
    expect(await txsOf(client, receiver)).toEqual([imported, exported].map(({ id }) => idText(id)));
    const { unlocked, atomicMemoryUnlocked } = (await getJson(client, `/balances?addresses=${plainAddress(receiver)}`)).balances;
    expect([unlocked[0].mayBeImported, atomicMemoryUnlocked[0].mayBeImported]).toEqual([undefined, true]);
    const spent = await getJson(client, `/utxos?includeSpent=true&addresses=${plainAddress(importer)}`);
    expect(spent.utxos).toHaveLength(1);
    expect(spent.utxos[0]).toMatchObject({ isIncomplete: true, consumingTxHash: idText(imported.id) });
    const { transfers } = await getJson(client, '/cross-chain/transfers');
    expect(transfers.map(({ direction, isIncomplete }: Json) => [direction, isIncomplete])).toEqual([
      ['import', true],
      ['import', true],
      ['export', undefined],
    ]);
  } finally {
    peer?.close();
    await program?.stop();
  }
  // The index can be built from the blocks alone.
  const checked = await runProgram('check', `--data-dir=${dataDir}`, '--network-id=local');
  expect([checked.code, checked.err]).toEqual([0, expect.any(String)]);
});
