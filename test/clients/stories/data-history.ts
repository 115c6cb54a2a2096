import { expect } from 'bun:test';
import { secp256k1 } from '@avalabs/avalanchejs';
import { expectError, onX, readAllPages, txOf, txsOf } from './data-client.ts';
import { hexOf } from './keys.ts';
import { futureLocktime, local } from './local-network.ts';
import { amounts, fujiAddress, memo, payload } from './sample-chain.ts';
import type { Stories, StoryContext } from './story-context.ts';

/** Blocks and transactions. */
export const historyStories: Stories = {
  'blocks, newest first': async ({ node, sample, client: { data, at } }) => {
    const { blocks } = data.primaryNetwork;
    const list = await readAllPages(blocks.listLatest({ ...onX, pageSize: 4 }, at), ({ result }) => result.blocks);
    expect(list.map(({ blockNumber }) => blockNumber)).toEqual(countdown(sample.ids.length));
    expect(list.flatMap(({ transactions }) => transactions)).toEqual(sample.ids.toReversed());
    for (const block of list) {
      const height = block.blockNumber;
      const expected = await node.call<{ block: JsonBlock }>('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'json' });
      const bytes = await node.call<{ block: string }>('/ext/bc/X', 'avm.getBlockByHeight', { height, encoding: 'hexnc' });
      expect(block).toMatchObject({
        blockHash: expected.block.id,
        parentHash: expected.block.parentID,
        blockTimestamp: expected.block.time,
        txCount: block.transactions.length,
        blockSizeBytes: (bytes.block.length - '0x'.length) / 2,
      });
    }
  },

  'one block, by height and by hash': async ({ sample, client: { data, at, errors } }) => {
    const { blocks } = data.primaryNetwork;
    const [newest] = (await blocks.listLatest({ ...onX, pageSize: 1 }, at)).result.blocks;
    for (const blockId of [newest!.blockNumber, newest!.blockHash]) expect(await blocks.get({ ...onX, blockId }, at)).toEqual(newest!);
    for (const blockId of [`${sample.ids.length + 1}`, sample.ids[0]!])
      await expectError(errors.missing, blocks.get({ ...onX, blockId }, at) as Promise<unknown>);
  },

  'blocks by time and by node': async ({ node, sample, client: { data, at } }) => {
    const { blocks } = data.primaryNetwork;
    const numbers = ({ result }: { result: { blocks: { blockNumber: string }[] } }) => result.blocks.map(({ blockNumber }) => blockNumber);
    const late = countdown(sample.ids.length).slice(0, -1 - sample.earlyCount);
    expect(await readAllPages(blocks.listLatest({ ...onX, pageSize: 5, startTimestamp: sample.splitTime }, at), numbers)).toEqual(late);
    expect(await readAllPages(blocks.listLatest({ ...onX, pageSize: 5, endTimestamp: sample.splitTime }, at), numbers)).toEqual(
      countdown(sample.earlyCount),
    );

    const { nodeID } = await node.call<{ nodeID: string }>('/ext/info', 'info.getNodeID');
    const builtBy = (nodeId: string) => readAllPages(blocks.listByNodeId({ ...onX, nodeId, pageSize: 5 }, at), numbers);
    // Block 0 has no builder.
    expect(await builtBy(nodeID)).toEqual(countdown(sample.ids.length).slice(0, -1));
    expect(await builtBy('NodeID-111111111111111111116DBWJs')).toEqual([]);
  },

  'a payment with its inputs and outputs': async (context) => {
    const { alice, bob, js, txs } = context.sample;
    const tx = await read(context, txs.payment);
    const height = context.sample.ids.indexOf(txs.payment) + 1;
    const { blockHash, blockTimestamp } = await context.client.data.primaryNetwork.blocks.get(
      { ...onX, blockId: `${height}` },
      context.client.at,
    );
    expect(tx).toMatchObject({
      txHash: txs.payment,
      chainFormat: 'linear',
      txType: 'BaseTx',
      memo: `0x${hexOf(memo)}`,
      timestamp: blockTimestamp,
      blockHeight: height,
      blockHash,
    });
    const avax = { assetId: local.avaxAssetID, name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' } as const;
    const change = amounts.funding - amounts.payment - local.txFee;
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
      addresses: [fujiAddress(alice)],
      creationTxHash: txs.funding,
      consumingTxHash: txs.payment,
      consumingTxTimestamp: blockTimestamp,
    });
    const [credential] = consumed!.credentials!;
    expect(Buffer.from(credential!.signature!, 'base64')).toHaveLength(65);
    expect(credential!.publicKey).toBe(Buffer.from(secp256k1.getPublicKey(alice.secret)).toString('base64'));

    const made = { ...plain, creationTxHash: txs.payment, timestamp: blockTimestamp };
    const toBob = tx.emittedUtxos.find(({ addresses }) => addresses[0] === fujiAddress(bob));
    expect(toBob).toMatchObject({ ...made, asset: { ...avax, amount: `${amounts.payment}` } });
    expect((await js.utxos(bob)).map((utxo) => utxo.ID())).toContain(toBob!.utxoId);
    expect(tx.emittedUtxos.find(({ addresses }) => addresses[0] === fujiAddress(alice))).toMatchObject({
      ...made,
      asset: { ...avax, amount: `${change}` },
    });
    expect(tx.emittedUtxos.map(({ outputIndex }) => outputIndex)).toEqual(['0', '1']);
    expect(tx.amountUnlocked).toEqual([{ ...avax, amount: `${amounts.funding}` }]);
    expect(tx.amountCreated).toEqual([{ ...avax, amount: `${amounts.funding - local.txFee}` }]);
  },

  'an asset created and minted': async (context) => {
    const { alice, bob, txs } = context.sample;
    const made = await read(context, txs.asset);
    expect(made.txType).toBe('CreateAssetTx');
    const named = { assetId: txs.asset, name: 'Variable Cap', symbol: 'VAR', denomination: 2, type: 'secp256k1' } as const;
    expect(made.assetCreated).toEqual({ ...named, createdAtTimestamp: made.timestamp, cap: 'variable' });
    const outputs = made.emittedUtxos.filter(({ asset }) => asset.assetId === txs.asset);
    expect(outputs.map(({ outputIndex, utxoType }) => [outputIndex, utxoType])).toEqual([
      ['1', 'mint'],
      ['2', 'transfer'],
    ]);
    expect(outputs[1]!.asset).toEqual({ ...named, amount: `${amounts.supply}` });

    const minting = await read(context, txs.mint);
    expect(minting.txType).toBe('OperationTx');
    expect(minting.consumedUtxos.filter(({ utxoType }) => utxoType === 'mint').map(({ utxoId }) => utxoId)).toEqual([outputs[0]!.utxoId]);
    const [mintOutput, minted] = minting.emittedUtxos.filter(({ asset }) => asset.assetId === txs.asset);
    expect(mintOutput).toMatchObject({ utxoType: 'mint', addresses: [fujiAddress(alice)] });
    expect(minted).toMatchObject({ utxoType: 'transfer', addresses: [fujiAddress(bob)], asset: { ...named, amount: `${amounts.minted}` } });
  },

  'an NFT minted and transferred': async (context) => {
    const { alice, bob, txs } = context.sample;
    expect((await read(context, txs.nftAsset)).assetCreated).toMatchObject({ assetId: txs.nftAsset, symbol: 'NFT', type: 'nft' });
    const ofFamily = ({ asset }: { asset: { assetId: string } }) => asset.assetId === txs.nftAsset;
    const mintedNft = (await read(context, txs.nftMint)).emittedUtxos.find(ofFamily);
    expect(mintedNft).toMatchObject({
      groupId: 1,
      addresses: [fujiAddress(alice)],
      asset: { type: 'nft', symbol: 'NFT' },
      consumingTxHash: txs.nftTransfer,
    });
    expect(mintedNft!.payload).toMatch(new RegExp(`${hexOf(payload)}$`));
    const transfer = await read(context, txs.nftTransfer);
    expect(transfer.consumedUtxos.find(ofFamily)!.utxoId).toBe(mintedNft!.utxoId);
    expect(transfer.emittedUtxos.find(ofFamily)).toMatchObject({ groupId: 1, payload: mintedNft!.payload!, addresses: [fujiAddress(bob)] });
  },

  'outputs with three owners and with a locktime': async (context) => {
    const { carol, dora, erin, txs } = context.sample;
    const outputs = (await read(context, txs.shared)).emittedUtxos;
    const shared = outputs.find(({ threshold }) => threshold === 2);
    expect(shared!.asset.amount).toBe(`${amounts.shared}`);
    expect(shared!.addresses.toSorted()).toEqual([carol, dora, erin].map(fujiAddress).sort());
    const locked = (await read(context, txs.locked)).emittedUtxos.find(({ locktime }) => locktime !== 0);
    expect(locked).toMatchObject({
      locktime: Number(futureLocktime),
      addresses: [fujiAddress(carol)],
      asset: { amount: `${amounts.locked}` },
    });
  },

  'an export to P and an import from P': async (context) => {
    const { alice, dora, txs } = context.sample;
    const exported = await read(context, txs.exported);
    expect(exported).toMatchObject({ txType: 'ExportTx', destinationChain: local.pBlockchainID });
    const sent = exported.emittedUtxos.find(({ consumedOnChainId }) => consumedOnChainId === local.pBlockchainID);
    expect(sent).toMatchObject({
      createdOnChainId: local.xBlockchainID,
      addresses: [fujiAddress(alice)],
      outputIndex: '1',
      asset: { amount: `${amounts.exported}` },
    });
    const imported = await read(context, txs.imported);
    expect(imported).toMatchObject({ txType: 'ImportTx', sourceChain: local.pBlockchainID });
    expect(imported.consumedUtxos).toHaveLength(1);
    expect(imported.consumedUtxos[0]).toMatchObject({
      createdOnChainId: local.pBlockchainID,
      consumedOnChainId: local.xBlockchainID,
      consumingTxHash: txs.imported,
      asset: { amount: `${amounts.imported}` },
    });
    expect(imported.emittedUtxos.map(({ addresses, asset }) => [addresses, asset.amount])).toEqual([
      [[fujiAddress(dora)], `${amounts.imported - local.txFee}`],
    ]);
  },

  'an unknown transaction': async ({ client: { data, at, errors } }) => {
    const request = data.primaryNetwork.transactions.get({ ...onX, txHash: local.xBlockchainID }, at);
    expect((await expectError(errors.missing, request)).data$).toMatchObject({ statusCode: 404, error: 'Not Found' });
  },

  'all transactions, newest first, including the genesis': async ({ sample, client: { data, at } }) => {
    const { transactions } = data.primaryNetwork;
    const list = await readAllPages(transactions.listLatest({ ...onX, pageSize: 4 }, at), txsOf);
    expect(txHashes(list).slice(0, sample.ids.length)).toEqual(sample.ids.toReversed());
    expect(list.slice(sample.ids.length).every(({ blockHeight }) => blockHeight === 0)).toBe(true);
    expect(txHashes(list)).toContain(local.avaxAssetID);
    expect(new Set(txHashes(list)).size).toBe(list.length);
    expect(txHashes(await readAllPages(transactions.listLatest({ ...onX, pageSize: 9, sortOrder: 'asc' }, at), txsOf))).toEqual(
      txHashes(list).toReversed(),
    );
  },

  'the transactions of an address, by type and time': async ({ sample, client: { data, at } }) => {
    const { alice, bob, dora, frank, smallPayments, txs, splitTime } = sample;
    const { transactions } = data.primaryNetwork;
    type Params = Omit<Parameters<typeof transactions.listLatest>[0], 'blockchainId'>;
    const list = async (request: Params) =>
      txHashes(await readAllPages(transactions.listLatest({ ...onX, pageSize: 2, ...request }, at), txsOf));

    expect(await list({ addresses: fujiAddress(frank) })).toEqual(smallPayments.toReversed());
    expect(await list({ addresses: frank.addressOn('X'), sortOrder: 'asc' })).toEqual(smallPayments);
    const both = `${fujiAddress(alice)},${fujiAddress(bob)}`;
    const allOfBoth = [txs.exported, txs.nftTransfer, txs.nftMint, txs.nftAsset, txs.mint, txs.asset, txs.payment, txs.funding];
    expect(await list({ addresses: both })).toEqual(allOfBoth);
    expect(await list({ addresses: both, startTimestamp: splitTime })).toEqual(allOfBoth.slice(0, 4));
    expect(await list({ addresses: both, endTimestamp: splitTime })).toEqual(allOfBoth.slice(4));
    expect(await list({ addresses: both, txTypes: ['OperationTx', 'CreateAssetTx'], sortOrder: 'asc' })).toEqual([
      txs.asset,
      txs.mint,
      txs.nftAsset,
      txs.nftMint,
      txs.nftTransfer,
    ]);
    expect(await list({ addresses: both, txTypes: ['OperationTx'], startTimestamp: splitTime })).toEqual([txs.nftTransfer, txs.nftMint]);
    expect(await list({ addresses: fujiAddress(alice), txTypes: ['ExportTx'] })).toEqual([txs.exported]);
    expect(await list({ addresses: fujiAddress(dora), txTypes: ['ImportTx'] })).toEqual([txs.imported]);
    expect(await list({ addresses: fujiAddress(frank), txTypes: ['CreateChainTx'] })).toEqual([]);
  },

  'the transactions of an asset': async ({ sample, client: { data, at } }) => {
    const { txs, splitTime } = sample;
    const { transactions } = data.primaryNetwork;
    type Params = Omit<Parameters<typeof transactions.listAssetTransactions>[0], 'blockchainId'>;
    const list = async (request: Params) =>
      txHashes(await readAllPages(transactions.listAssetTransactions({ ...onX, pageSize: 1, ...request }, at), txsOf));
    expect(await list({ assetId: txs.asset })).toEqual([txs.mint, txs.asset]);
    expect(await list({ assetId: txs.asset, txTypes: ['CreateAssetTx'] })).toEqual([txs.asset]);
    expect(await list({ assetId: txs.asset, startTimestamp: splitTime })).toEqual([]);
    expect(await list({ assetId: txs.nftAsset })).toEqual([txs.nftTransfer, txs.nftMint, txs.nftAsset]);
  },

  'pages are consistent while new blocks arrive': async ({ sample, client: { data, at } }) => {
    const request = { ...onX, addresses: fujiAddress(sample.erin), pageSize: 2 };
    for (const amount of [1n, 2n, 3n, 4n, 5n]) await sample.pay(sample.erin, amount);
    const before = txHashes(await readAllPages(data.primaryNetwork.transactions.listLatest({ ...request, pageSize: 100 }, at), txsOf));
    expect(before.length).toBeGreaterThan(request.pageSize * 2);
    const seen: string[] = [];
    for await (const page of await data.primaryNetwork.transactions.listLatest(request, at)) {
      seen.push(...txHashes(txsOf(page)));
      await sample.pay(sample.erin, 6n);
    }
    expect(seen).toEqual(before);
  },
};

type JsonBlock = { readonly id: string; readonly parentID: string; readonly time: number };

const read = async ({ client: { data, at } }: StoryContext, txHash: string) =>
  txOf(await data.primaryNetwork.transactions.get({ ...onX, txHash }, at));

const txHashes = (txs: readonly { readonly txHash: string }[]): string[] => txs.map(({ txHash }) => txHash);

/** From a height down to block 0. */
const countdown = (from: number): string[] => Array.from({ length: from + 1 }, (_, i) => `${from - i}`);
