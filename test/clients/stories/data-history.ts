import { expect } from 'bun:test';
import { secp256k1 } from '@avalabs/avalanchejs';
import { failure, onX, txOf, txsOf, walk } from './data-client.ts';
import type { Scene, Stories } from './data-scene.ts';
import { amounts, bare, memo, payload } from './data-world.ts';
import { hexOf } from './keys.ts';
import { farAway, local } from './local-network.ts';

/** Blocks and transactions. */
export const history: Stories = {
  'blocks, from the newest to the first': async ({ node, world, client: { data, at } }) => {
    const { blocks } = data.primaryNetwork;
    const list = await walk(blocks.listLatest({ ...onX, pageSize: 4 }, at), ({ result }) => result.blocks);
    expect(list.map(({ blockNumber }) => blockNumber)).toEqual(countdown(world.ids.length));
    expect(list.flatMap(({ transactions }) => transactions)).toEqual(world.ids.toReversed());
    for (const block of list) {
      const height = block.blockNumber;
      const told = await node.call<{ block: JsonBlock }>('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'json' });
      const bytes = await node.call<{ block: string }>('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'hexnc' });
      expect(block).toMatchObject({
        blockHash: told.block.id,
        parentHash: told.block.parentID,
        blockTimestamp: told.block.time,
        txCount: block.transactions.length,
        blockSizeBytes: (bytes.block.length - '0x'.length) / 2,
      });
    }
  },

  'one block, by height and by hash': async ({ world, client: { data, at, errors } }) => {
    const { blocks } = data.primaryNetwork;
    const [newest] = (await blocks.listLatest({ ...onX, pageSize: 1 }, at)).result.blocks;
    for (const blockId of [newest!.blockNumber, newest!.blockHash]) expect(await blocks.get({ ...onX, blockId }, at)).toEqual(newest!);
    for (const blockId of [`${world.ids.length + 1}`, world.ids[0]!])
      await failure(errors.missing, blocks.get({ ...onX, blockId }, at) as Promise<unknown>);
  },

  'blocks of a time, and of a node': async ({ node, world, client: { data, at } }) => {
    const { blocks } = data.primaryNetwork;
    const numbers = ({ result }: { result: { blocks: { blockNumber: string }[] } }) => result.blocks.map(({ blockNumber }) => blockNumber);
    const late = countdown(world.ids.length).slice(0, -1 - world.early);
    expect(await walk(blocks.listLatest({ ...onX, pageSize: 5, startTimestamp: world.turn }, at), numbers)).toEqual(late);
    expect(await walk(blocks.listLatest({ ...onX, pageSize: 5, endTimestamp: world.turn }, at), numbers)).toEqual(countdown(world.early));

    const { nodeID } = await node.call<{ nodeID: string }>('/ext/info', 'info.getNodeID');
    const builtBy = (nodeId: string) => walk(blocks.listByNodeId({ ...onX, nodeId, pageSize: 5 }, at), numbers);
    // Nobody built block 0.
    expect(await builtBy(nodeID)).toEqual(countdown(world.ids.length).slice(0, -1));
    expect(await builtBy('NodeID-111111111111111111116DBWJs')).toEqual([]);
  },

  'a payment, with all that went in and came out': async (scene) => {
    const { alice, bob, js, txs } = scene.world;
    const tx = await read(scene, txs.gift);
    const height = scene.world.ids.indexOf(txs.gift) + 1;
    const { blockHash, blockTimestamp } = await scene.client.data.primaryNetwork.blocks.get(
      { ...onX, blockId: `${height}` },
      scene.client.at,
    );
    expect(tx).toMatchObject({
      txHash: txs.gift,
      chainFormat: 'linear',
      txType: 'BaseTx',
      memo: `0x${hexOf(memo)}`,
      timestamp: blockTimestamp,
      blockHeight: height,
      blockHash,
    });
    const avax = { assetId: local.avaxAssetID, name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' } as const;
    const change = amounts.funding - amounts.gift - local.txFee;
    const plain = {
      createdOnChainId: local.xBlockchainID,
      consumedOnChainId: local.xBlockchainID,
      locktime: 0,
      threshold: 1,
      utxoType: 'transfer',
    };
    const [consumed, ...noMore] = tx.consumedUtxos;
    expect(noMore).toEqual([]);
    expect(consumed).toMatchObject({
      ...plain,
      asset: { ...avax, amount: `${amounts.funding}` },
      addresses: [bare(alice)],
      creationTxHash: txs.funding,
      consumingTxHash: txs.gift,
      consumingTxTimestamp: blockTimestamp,
    });
    const [credential] = consumed!.credentials!;
    expect(Buffer.from(credential!.signature!, 'base64')).toHaveLength(65);
    expect(credential!.publicKey).toBe(Buffer.from(secp256k1.getPublicKey(alice.secret)).toString('base64'));

    const made = { ...plain, creationTxHash: txs.gift, timestamp: blockTimestamp };
    const toBob = tx.emittedUtxos.find(({ addresses }) => addresses[0] === bare(bob));
    expect(toBob).toMatchObject({ ...made, asset: { ...avax, amount: `${amounts.gift}` } });
    expect((await js.utxos(bob)).map((utxo) => utxo.ID())).toContain(toBob!.utxoId);
    expect(tx.emittedUtxos.find(({ addresses }) => addresses[0] === bare(alice))).toMatchObject({
      ...made,
      asset: { ...avax, amount: `${change}` },
    });
    expect(tx.emittedUtxos.map(({ outputIndex }) => outputIndex)).toEqual(['0', '1']);
    expect(tx.amountUnlocked).toEqual([{ ...avax, amount: `${amounts.funding}` }]);
    expect(tx.amountCreated).toEqual([{ ...avax, amount: `${amounts.funding - local.txFee}` }]);
  },

  'an asset made and minted': async (scene) => {
    const { alice, bob, txs } = scene.world;
    const made = await read(scene, txs.asset);
    expect(made.txType).toBe('CreateAssetTx');
    const named = { assetId: txs.asset, name: 'Variable Cap', symbol: 'VAR', denomination: 2, type: 'secp256k1' } as const;
    expect(made.assetCreated).toEqual({ ...named, createdAtTimestamp: made.timestamp, cap: 'variable' });
    const outputs = made.emittedUtxos.filter(({ asset }) => asset.assetId === txs.asset);
    expect(outputs.map(({ outputIndex, utxoType }) => [outputIndex, utxoType])).toEqual([
      ['1', 'mint'],
      ['2', 'transfer'],
    ]);
    expect(outputs[1]!.asset).toEqual({ ...named, amount: `${amounts.supply}` });

    const minting = await read(scene, txs.minting);
    expect(minting.txType).toBe('OperationTx');
    expect(minting.consumedUtxos.filter(({ utxoType }) => utxoType === 'mint').map(({ utxoId }) => utxoId)).toEqual([outputs[0]!.utxoId]);
    const [right, coins] = minting.emittedUtxos.filter(({ asset }) => asset.assetId === txs.asset);
    expect(right).toMatchObject({ utxoType: 'mint', addresses: [bare(alice)] });
    expect(coins).toMatchObject({ utxoType: 'transfer', addresses: [bare(bob)], asset: { ...named, amount: `${amounts.minted}` } });
  },

  'an NFT minted and passed on': async (scene) => {
    const { alice, bob, txs } = scene.world;
    expect((await read(scene, txs.family)).assetCreated).toMatchObject({ assetId: txs.family, symbol: 'NFT', type: 'nft' });
    const ofFamily = ({ asset }: { asset: { assetId: string } }) => asset.assetId === txs.family;
    const picture = (await read(scene, txs.picture)).emittedUtxos.find(ofFamily);
    expect(picture).toMatchObject({
      groupId: 1,
      addresses: [bare(alice)],
      asset: { type: 'nft', symbol: 'NFT' },
      consumingTxHash: txs.passed,
    });
    expect(picture!.payload).toMatch(new RegExp(`${hexOf(payload)}$`));
    const passed = await read(scene, txs.passed);
    expect(passed.consumedUtxos.find(ofFamily)!.utxoId).toBe(picture!.utxoId);
    expect(passed.emittedUtxos.find(ofFamily)).toMatchObject({ groupId: 1, payload: picture!.payload!, addresses: [bare(bob)] });
  },

  'shared by three, locked for long': async (scene) => {
    const { carol, dora, erin, txs } = scene.world;
    const outputs = (await read(scene, txs.shared)).emittedUtxos;
    const shared = outputs.find(({ threshold }) => threshold === 2);
    expect(shared!.asset.amount).toBe(`${amounts.shared}`);
    expect(shared!.addresses.toSorted()).toEqual([carol, dora, erin].map(bare).sort());
    const locked = (await read(scene, txs.locked)).emittedUtxos.find(({ locktime }) => locktime !== 0);
    expect(locked).toMatchObject({ locktime: Number(farAway), addresses: [bare(carol)], asset: { amount: `${amounts.locked}` } });
  },

  'out to P, and in from there': async (scene) => {
    const { alice, dora, txs } = scene.world;
    const exported = await read(scene, txs.exported);
    expect(exported).toMatchObject({ txType: 'ExportTx', destinationChain: local.pBlockchainID });
    const sent = exported.emittedUtxos.find(({ consumedOnChainId }) => consumedOnChainId === local.pBlockchainID);
    expect(sent).toMatchObject({
      createdOnChainId: local.xBlockchainID,
      addresses: [bare(alice)],
      outputIndex: '1',
      asset: { amount: `${amounts.exported}` },
    });
    const imported = await read(scene, txs.imported);
    expect(imported).toMatchObject({ txType: 'ImportTx', sourceChain: local.pBlockchainID });
    expect(imported.consumedUtxos).toHaveLength(1);
    expect(imported.consumedUtxos[0]).toMatchObject({
      createdOnChainId: local.pBlockchainID,
      consumedOnChainId: local.xBlockchainID,
      consumingTxHash: txs.imported,
      asset: { amount: `${amounts.imported}` },
    });
    expect(imported.emittedUtxos.map(({ addresses, asset }) => [addresses, asset.amount])).toEqual([
      [[bare(dora)], `${amounts.imported - local.txFee}`],
    ]);
  },

  'no such transaction': async ({ client: { data, at, errors } }) => {
    const asked = data.primaryNetwork.transactions.get({ ...onX, txHash: local.xBlockchainID }, at);
    expect((await failure(errors.missing, asked)).data$).toMatchObject({ statusCode: 404, error: 'Not Found' });
  },

  'the latest transactions, down to the genesis': async ({ world, client: { data, at } }) => {
    const { transactions } = data.primaryNetwork;
    const list = await walk(transactions.listLatest({ ...onX, pageSize: 4 }, at), txsOf);
    expect(hashes(list).slice(0, world.ids.length)).toEqual(world.ids.toReversed());
    expect(list.slice(world.ids.length).every(({ blockHeight }) => blockHeight === 0)).toBe(true);
    expect(hashes(list)).toContain(local.avaxAssetID);
    expect(new Set(hashes(list)).size).toBe(list.length);
    expect(hashes(await walk(transactions.listLatest({ ...onX, pageSize: 9, sortOrder: 'asc' }, at), txsOf))).toEqual(
      hashes(list).toReversed(),
    );
  },

  'the transactions of an address, by kind and by time': async ({ world, client: { data, at } }) => {
    const { alice, bob, dora, frank, coinage, txs, turn } = world;
    const { transactions } = data.primaryNetwork;
    type Asked = Omit<Parameters<typeof transactions.listLatest>[0], 'blockchainId'>;
    const list = async (asked: Asked) => hashes(await walk(transactions.listLatest({ ...onX, pageSize: 2, ...asked }, at), txsOf));

    expect(await list({ addresses: bare(frank) })).toEqual(coinage.toReversed());
    expect(await list({ addresses: frank.on('X'), sortOrder: 'asc' })).toEqual(coinage);
    const both = `${bare(alice)},${bare(bob)}`;
    const allOfBoth = [txs.exported, txs.passed, txs.picture, txs.family, txs.minting, txs.asset, txs.gift, txs.funding];
    expect(await list({ addresses: both })).toEqual(allOfBoth);
    expect(await list({ addresses: both, startTimestamp: turn })).toEqual(allOfBoth.slice(0, 4));
    expect(await list({ addresses: both, endTimestamp: turn })).toEqual(allOfBoth.slice(4));
    expect(await list({ addresses: both, txTypes: ['OperationTx', 'CreateAssetTx'], sortOrder: 'asc' })).toEqual([
      txs.asset,
      txs.minting,
      txs.family,
      txs.picture,
      txs.passed,
    ]);
    expect(await list({ addresses: both, txTypes: ['OperationTx'], startTimestamp: turn })).toEqual([txs.passed, txs.picture]);
    expect(await list({ addresses: bare(alice), txTypes: ['ExportTx'] })).toEqual([txs.exported]);
    expect(await list({ addresses: bare(dora), txTypes: ['ImportTx'] })).toEqual([txs.imported]);
    expect(await list({ addresses: bare(frank), txTypes: ['CreateChainTx'] })).toEqual([]);
  },

  'the transactions of an asset': async ({ world, client: { data, at } }) => {
    const { txs, turn } = world;
    const { transactions } = data.primaryNetwork;
    type Asked = Omit<Parameters<typeof transactions.listAssetTransactions>[0], 'blockchainId'>;
    const list = async (asked: Asked) =>
      hashes(await walk(transactions.listAssetTransactions({ ...onX, pageSize: 1, ...asked }, at), txsOf));
    expect(await list({ assetId: txs.asset })).toEqual([txs.minting, txs.asset]);
    expect(await list({ assetId: txs.asset, txTypes: ['CreateAssetTx'] })).toEqual([txs.asset]);
    expect(await list({ assetId: txs.asset, startTimestamp: turn })).toEqual([]);
    expect(await list({ assetId: txs.family })).toEqual([txs.passed, txs.picture, txs.family]);
  },

  'pages fit together while the chain goes on': async ({ world, client: { data, at } }) => {
    const asked = { ...onX, addresses: bare(world.erin), pageSize: 2 };
    for (const amount of [1n, 2n, 3n, 4n, 5n]) await world.pay(world.erin, amount);
    const before = hashes(await walk(data.primaryNetwork.transactions.listLatest({ ...asked, pageSize: 100 }, at), txsOf));
    expect(before.length).toBeGreaterThan(asked.pageSize * 2);
    const seen: string[] = [];
    for await (const page of await data.primaryNetwork.transactions.listLatest(asked, at)) {
      seen.push(...hashes(txsOf(page)));
      await world.pay(world.erin, 6n);
    }
    expect(seen).toEqual(before);
  },
};

type JsonBlock = { readonly id: string; readonly parentID: string; readonly time: number };

const read = async ({ client: { data, at } }: Scene, txHash: string) =>
  txOf(await data.primaryNetwork.transactions.get({ ...onX, txHash }, at));

const hashes = (txs: readonly { readonly txHash: string }[]): string[] => txs.map(({ txHash }) => txHash);

/** From a height down to block 0. */
const countdown = (from: number): string[] => Array.from({ length: from + 1 }, (_, i) => `${from - i}`);
