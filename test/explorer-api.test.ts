import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Tx } from '../src/avm/tx/tx.ts';
import { createAddressFormatter } from '../src/base/bytes/address.ts';
import { formatHex, toHex } from '../src/base/bytes/hex.ts';
import { idText } from '../src/base/bytes/id.ts';
import { type DevNode, devModes, startDevNode } from './dev-node.ts';
import { ann, avaxText, bob, carl, coin, first, outputs, own, plain, rival, second, shown, split } from './explorer-chain.ts';
import { answeredRoutes, getFrom, type Json, root, routes } from './explorer-client.ts';
import { eventually } from './processes.ts';
import { ewoq } from './wallet-kit.ts';

/** The explorer routes, through the running program: in memory and with a reader process. */

for (const mode of devModes)
  describe(`explorer routes, ${mode}`, () => {
    let node: DevNode;
    beforeAll(async () => {
      node = await startDevNode(mode, '--no-mining');
    });
    afterAll(() => node.stop());
    const get = async (path: string): Promise<Json> => {
      const { status, json } = await getFrom(node.program(), path);
      expect([path, status, status === 200 ? undefined : json.message]).toEqual([path, 200, undefined]);
      return json;
    };
    const statusOf = async (path: string) => (await getFrom(node.program(), path)).status;
    const status = async (tx: Tx) => (await get(`transactions/${idText(tx.id)}/lifecycle`)) as Json;

    /** The sums of all minutes; the test may run over the end of one. */
    const issuedInAll = async () => {
      const { minutes, endTimestamp } = await get('issue-minutes');
      for (const { timestamp, latency } of minutes) {
        expect([timestamp % 60, timestamp <= endTimestamp]).toEqual([0, true]);
        if (latency !== undefined) expect(latency.p50).toBeLessThanOrEqual(latency.max);
      }
      const sum = (value: (minute: Json) => number): number => minutes.reduce((total: number, minute: Json) => total + value(minute), 0);
      return {
        refused: sum(({ refused }) => refused),
        dropped: sum(({ dropped }) => dropped),
        accepted: sum(({ latency }) => latency?.count ?? 0),
      };
    };

    test('the mempool lists waiting transactions, oldest first, in pages', async () => {
      expect((await get('mempool')).txCount).toBe(0);
      const started = Date.now();
      expect((await node.issue(split)).error).toBeUndefined();
      await node.dev('dev.mine');
      await node.untilAccepted(split);
      for (const tx of [first, second]) expect((await node.issue(tx)).error).toBeUndefined();
      const pool = await get('mempool');
      expect(pool).toMatchObject({ txCount: 2, bytes: first.bytes.length + second.bytes.length });
      expect(pool.transactions.map(({ txHash }: Json) => txHash)).toEqual([idText(first.id), idText(second.id)]);
      const [shownFirst] = pool.transactions;
      expect(shownFirst).toMatchObject({ txType: 'BaseTx', burned: '1000000', sizeBytes: first.bytes.length });
      expect(shownFirst.receivedAt).toBeGreaterThanOrEqual(started);
      expect(shownFirst.receivedAt).toBeLessThanOrEqual(Date.now());
      expect(shownFirst.consumedUtxos.map(({ utxoId }: Json) => utxoId)).toEqual([idText((own[0] as (typeof own)[0]).id)]);
      expect(shownFirst.emittedUtxos.map(({ addresses }: Json) => addresses[0]).sort()).toEqual([shown(ewoq), shown(bob)].sort());
      const page = await get('mempool?pageSize=1');
      const next = await get(`mempool?pageSize=1&pageToken=${page.nextPageToken}`);
      expect([page, next].map(({ transactions: [tx] }) => tx.txHash)).toEqual([idText(first.id), idText(second.id)]);
      expect(next.nextPageToken).toBeUndefined();
    });

    test('refused and dropped transactions are listed with their reasons and content', async () => {
      expect((await node.issue(rival)).error?.data).toMatchObject({ code: 'MEMPOOL_CONFLICT' });
      await node.dev('dev.dropTx', { txID: idText(second.id) });
      const { transactions } = await get('dropped-transactions');
      expect(transactions.map(({ txHash, stage, reason }: Json) => [txHash, stage, reason.code])).toEqual([
        [idText(second.id), 'dropped', 'MEMPOOL_DROPPED_BY_CALLER'],
        [idText(rival.id), 'refused', 'MEMPOOL_CONFLICT'],
      ]);
      expect(transactions[1].reason.data).toMatchObject({ code: 'MEMPOOL_CONFLICT', spentBy: idText(first.id) });
      expect(transactions[1].transaction).toMatchObject({ txHash: idText(rival.id), burned: '1000000' });
      expect(await issuedInAll()).toEqual({ refused: 1, dropped: 1, accepted: 1 });
      const page = await get('dropped-transactions?pageSize=1');
      const next = await get(`dropped-transactions?pageSize=1&pageToken=${page.nextPageToken}`);
      expect(next.transactions.map(({ txHash }: Json) => txHash)).toEqual([idText(rival.id)]);
      expect(next.nextPageToken).toBeUndefined();
    });

    test('the lifecycle of a transaction shows its steps, and its content until it is accepted', async () => {
      const waiting = await status(first);
      expect(waiting).toMatchObject({ status: 'Processing', transaction: { txHash: idText(first.id) } });
      expect(waiting.steps.map(({ step }: Json) => step)).toEqual(['received', 'verified', 'pooled']);
      expect((await status(second)).steps.at(-1)).toMatchObject({ step: 'dropped', reason: { code: 'MEMPOOL_DROPPED_BY_CALLER' } });
      expect((await status(rival)).steps.at(-1)).toMatchObject({ step: 'refused', reason: { code: 'MEMPOOL_CONFLICT' } });
      expect(await statusOf(`transactions/${avaxText}/lifecycle`)).toBe(200);
      expect(await statusOf(`transactions/${idText(outputs[0]?.id as never)}/lifecycle`)).toBe(404);
      const steps = (await node.dev('dev.getTxLifecycle', { txID: idText(first.id) })).steps;
      expect(steps.map(({ step }: Json) => step)).toEqual(['received', 'verified', 'pooled']);
    });

    test('the content of a transaction has the time at which the node got it, not that of the request', async () => {
      const listed = [...(await get('mempool')).transactions, ...(await get('dropped-transactions')).transactions];
      const second = Math.floor(Date.now() / 1000);
      await eventually(
        async () => Math.floor(Date.now() / 1000),
        (now) => now > second,
      );
      expect(listed).toHaveLength(3);
      for (const { txHash, transaction, receivedAt, ...content } of listed) {
        const shown = (await get(`transactions/${txHash}/lifecycle`)).transaction;
        expect(shown).toEqual(transaction ?? { txHash, ...content });
      }
    });

    test('a revert takes back throughput, holders and lifecycle; the drops stay', async () => {
      await node.dev('dev.snapshot', { name: 'before' });
      const before = await get('throughput?seconds=3600');
      const holdersBefore = await get(`assets/${avaxText}/holders?pageSize=100`);
      await node.dev('dev.mine');
      await node.untilAccepted(first);
      const after = await get('throughput?seconds=3600');
      expect(after.figures.txCount).toBe(before.figures.txCount + 1);
      expect(BigInt(after.figures.burned)).toBe(BigInt(before.figures.burned) + 1_000_000n);
      expect(after.figures.latency.count).toBeGreaterThanOrEqual(2);
      expect(after.seconds.reduce((sum: number, { txCount }: Json) => sum + txCount, 0)).toBe(after.figures.txCount);
      const holders = await get(`assets/${avaxText}/holders?pageSize=100`);
      expect(holders.holders).toBe(holdersBefore.holders + 1);
      expect(holders.holderList.find(({ address }: Json) => address === shown(bob))).toMatchObject({ amount: `${coin}`, nfts: 0 });
      expect((await status(first)).steps.at(-1)).toMatchObject({
        step: 'accepted',
        blockNumber: after.figures.blockCount > 0 ? expect.any(String) : '',
      });

      await node.dev('dev.revert', { name: 'before' });
      for (const answer of await node.getEverywhere(`${root}/throughput?seconds=3600`))
        expect(answer.figures).toMatchObject({ txCount: before.figures.txCount, burned: before.figures.burned });
      for (const answer of await node.getEverywhere(`${root}/assets/${avaxText}/holders?pageSize=100`))
        expect(answer.holderList).toEqual(holdersBefore.holderList);
      // The snapshot has the mempool of its moment.
      expect((await get('mempool')).transactions.map(({ txHash }: Json) => txHash)).toEqual([idText(first.id)]);
      // It entered the mempool again with the revert.
      expect((await get('mempool')).transactions[0].receivedAt).toBeNumber();
      expect(await status(first)).toMatchObject({ status: 'Processing', steps: [{ step: 'pooled' }] });
      expect((await get('dropped-transactions')).transactions).toHaveLength(2);
      expect(await issuedInAll()).toEqual({ refused: 1, dropped: 1, accepted: 0 });
      await node.dev('dev.mine');
      await node.untilAccepted(first);
    });

    test('blocks, their transactions, and the place of a transaction', async () => {
      const { blocks, nextPageToken } = await get('block-summaries?pageSize=2');
      const [tip] = blocks;
      expect(tip).toMatchObject({ txCount: 1, burned: '1000000', txCountByType: { BaseTx: 1, ExportTx: 0 } });
      const whole = (await node.program().client.send('GET', `${root}/blocks/${tip.blockNumber}`)).text;
      expect(tip.bytes).toBe(JSON.parse(whole).blockSizeBytes);
      const rest = await get(`block-summaries?pageSize=100&pageToken=${nextPageToken}`);
      expect([...blocks, ...rest.blocks].map(({ blockNumber }: Json) => Number(blockNumber))).toEqual(
        Array.from({ length: Number(tip.blockNumber) + 1 }, (_, i) => Number(tip.blockNumber) - i),
      );
      const heights = async (query: string) =>
        (await get(`block-summaries?${query}`)).blocks.map(({ blockNumber }: Json) => Number(blockNumber));
      expect(await heights('endBlock=1&pageSize=5')).toEqual([1, 0]);
      expect(await heights('sortOrder=asc&pageSize=2')).toEqual([0, 1]);
      expect(await heights('sortOrder=asc&endBlock=0')).toEqual([0]);
      expect(tip.moved).toBeUndefined();
      const summed = await get('block-summaries?pageSize=100&withMoved=true');
      for (const { blockNumber, moved, movedAssetCount } of summed.blocks) {
        const listed = (await get(`blocks/${blockNumber}/transactions?pageSize=1000`)).transactions;
        const avax = listed.reduce((sum: bigint, tx: Json) => sum + BigInt(tx.moved), 0n).toString();
        const expected = avax === '0' ? [] : [{ assetId: avaxText, amount: avax, symbol: 'AVAX', denomination: 9 }];
        expect([blockNumber, moved.slice(0, expected.length)]).toEqual([blockNumber, expected]);
        expect(movedAssetCount).toBeGreaterThanOrEqual(moved.length);
      }
      for (const id of [tip.blockNumber, tip.blockHash])
        expect((await get(`blocks/${id}/transactions`)).transactions).toEqual([
          {
            index: 0,
            txHash: idText(first.id),
            txType: 'BaseTx',
            sizeBytes: first.bytes.length,
            burned: '1000000',
            // The change goes to the wallet's first key, which is another owner.
            moved: '9999000000',
            inputCount: 1,
            outputCount: 2,
            summary: expect.objectContaining({ action: 'send', fromCount: 1, toCount: 2, isToSelf: false }),
          },
        ]);
      expect(await statusOf('blocks/999999/transactions')).toBe(404);
      const latest = await get('transaction-summaries?pageSize=2');
      expect(latest.transactions.map(({ txHash }: Json) => txHash)).toEqual([idText(first.id), idText(split.id)]);
      const older = await get(`transaction-summaries?pageSize=2&pageToken=${latest.nextPageToken}`);
      expect(older.transactions.map(({ txHash }: Json) => txHash)).not.toContain(idText(split.id));
      const named = await get(`transaction-summaries?txHashes=${[split, rival, first].map(({ id }) => idText(id)).join()}`);
      expect(named.transactions.map(({ txHash }: Json) => txHash)).toEqual([idText(split.id), idText(first.id)]);
      expect(await statusOf(`transaction-summaries?txHashes=${Array(101).fill(idText(first.id)).join()}`)).toBe(400);
      expect(await statusOf('transaction-summaries?txHashes=x')).toBe(400);
      // Of an address or an asset: the same transactions as those lists have.
      const [
        {
          addresses: [owner],
        },
      ] = (await get(`transactions/${idText(first.id)}`)).emittedUtxos;
      for (const [filter, list] of [
        [`addresses=${owner}`, `transactions?addresses=${owner}`],
        [`assetId=${avaxText}`, `assets/${avaxText}/transactions?`],
      ]) {
        const idsOf = ({ transactions }: Json) => transactions.map(({ txHash }: Json) => txHash);
        const summaries = await get(`transaction-summaries?${filter}&pageSize=5`);
        expect(idsOf(summaries)).toEqual(idsOf(await get(`${list}&pageSize=5`)));
        expect(idsOf(summaries)).toContain(idText(first.id));
      }
      const place = await get(`transactions/${idText(first.id)}/position`);
      expect(place).toEqual({ txHash: idText(first.id), blockNumber: tip.blockNumber, blockHash: tip.blockHash, txCount: 1, index: 0 });
      expect((await get(`transactions/${avaxText}/position`)).index).toBeUndefined();
      expect(await statusOf(`transactions/${idText(rival.id)}/position`)).toBe(404);
    });

    test('outputs by ID, and those that an address owns with others', async () => {
      const spent = own[0] as (typeof own)[0];
      const found = await get(`utxos/${idText(spent.id)}`);
      expect(found).toMatchObject({ creationTxHash: idText(split.id), consumingTxHash: idText(first.id) });
      expect(await get(`utxos/${idText(spent.txID)}:${spent.outputIndex}`)).toEqual(found);
      expect(await statusOf(`utxos/${idText(split.id)}`)).toBe(404);
      for (const wrong of ['x', `${idText(split.id)}:-1`, `${idText(split.id)}:1:2`, `${idText(split.id)}:99999999999`])
        expect(await statusOf(`utxos/${wrong}`)).toBe(400);
      const shared = async (query: string) => (await get(`shared-utxos?${query}`)).utxos.map(({ asset }: Json) => asset.amount);
      expect(await shared(`addresses=${plain(ann.address)}`)).toEqual([`${5n * coin}`]);
      expect(await shared(`addresses=${plain(ann.address)},${plain(bob.address)}`)).toEqual([]);
      expect(await shared(`addresses=${plain(carl.address)}`)).toEqual([]);
      expect((await get(`balance-history?addresses=${plain(ann.address)}`)).isSampled).toBe(false);
    });

    test('assets with holders, mints and NFT groups', async () => {
      await node.dev('dev.setAutomine', { enabled: true });
      const { assetID } = await node.dev('dev.createAsset', { name: 'Explorer Coin', symbol: 'XPL', supply: '1000', mintable: true });
      await node.dev('dev.mint', { assetID, to: plain(bob.address), amount: '250' });
      const family = (await node.dev('dev.createNFT', { name: 'Pictures', symbol: 'PIC', groups: 12 })).assetID;
      await node.dev('dev.mintNFT', { assetID: family, to: plain(bob.address), payload: 'hello' });
      const { assets } = await get('assets?sortOrder=desc&pageSize=2');
      expect(assets.map(({ symbol }: Json) => symbol)).toEqual(['PIC', 'XPL']);
      expect(assets[1]).toMatchObject({ supply: '1250', minted: '1250', heldSupply: '1250', holders: 2, cap: 'variable' });
      expect(assets[0]).toMatchObject({ type: 'nft', supply: '1', mintedNfts: '1', holders: 1 });
      const pages = await get('assets?pageSize=1');
      expect(pages.assets[0].symbol).toBe('AVAX');
      expect((await get(`assets?pageSize=1&pageToken=${pages.nextPageToken}`)).assets[0].symbol).toBe('XPL');
      const ranked = await get(`assets/${assetID}/holders?pageSize=1`);
      expect(ranked.holderList).toMatchObject([{ rank: 1, amount: '1000' }]);
      const second = await get(`assets/${assetID}/holders?pageSize=1&pageToken=${ranked.nextPageToken}`);
      expect(second.holderList).toEqual([{ rank: 2, address: shown(bob), amount: '250', nfts: 0 }]);
      const firstGroups = await get(`assets/${family}/nft-groups?pageSize=5`);
      const nextGroups = await get(`assets/${family}/nft-groups?pageToken=${firstGroups.nextPageToken}`);
      expect([firstGroups.groups.length, nextGroups.nextPageToken]).toEqual([5, undefined]);
      expect([...firstGroups.groups, ...nextGroups.groups].map(({ groupId, minted }: Json) => [groupId, minted?.payload])).toEqual([
        [0, `0x${toHex(Buffer.from('hello'))}`],
        ...Array.from({ length: 11 }, (_, i) => [i + 1, undefined]),
      ]);
      const { days, isComplete } = await get(`assets/${assetID}/days?days=3`);
      expect([isComplete, days.length, days.map(({ timestamp }: Json) => timestamp % 86_400)]).toEqual([true, 3, [0, 0, 0]]);
      // The test may run over midnight.
      expect(days.reduce((total: number, { txCount }: Json) => total + txCount, 0)).toBe(2);
      expect((await get(`assets/${family}/days`)).days).toHaveLength(30);
      await node.dev('dev.snapshot', { name: 'days' });
      await node.dev('dev.increaseTime', { seconds: '2d' });
      await node.dev('dev.mint', { assetID, to: plain(bob.address), amount: '1' });
      expect((await get(`assets/${assetID}/days?days=3`)).days.map(({ txCount }: Json) => txCount).slice(1)).toEqual([0, 1]);
      await node.dev('dev.revert', { name: 'days' });
      for (const answer of await node.getEverywhere(`${root}/assets/${assetID}/days?days=3`)) expect(answer.days).toEqual(days);
      for (const list of ['holders', 'nft-groups', 'days']) expect(await statusOf(`assets/${idText(first.id)}/${list}`)).toBe(404);
    });

    test('shared memory by direction, and transfers with their export and import', async () => {
      await node.dev('dev.atomicDeposit', { from: 'C', to: plain(bob.address), amount: '3' });
      const { txID } = await node.dev('dev.export', { destinationChain: 'P', amount: '2', to: plain(carl.address) });
      const balances = await eventually(
        () => get('cross-chain/balances'),
        ({ outbound, inbound }) => outbound.length === 1 && inbound.length === 1,
      );
      expect(balances).toMatchObject({
        outbound: [{ utxoCount: 1, amounts: [{ symbol: 'AVAX', amount: '2' }] }],
        inbound: [{ utxoCount: 1, amounts: [{ symbol: 'AVAX', amount: '3' }] }],
        isComplete: true,
      });
      const [sent] = (await get('cross-chain/transfers')).transfers;
      expect(sent).toMatchObject({ direction: 'export', exportTxHash: txID, addresses: [shown(carl)] });
      expect(sent.importTimestamp).toBeUndefined();
      await node.dev('dev.claimExport', { utxoID: sent.utxoId });
      const claimed = await eventually(
        async () => (await get('cross-chain/transfers')).transfers[0],
        (transfer) => transfer.importTimestamp !== undefined,
      );
      expect(claimed.utxoId).toBe(sent.utxoId);
      const emptied = await eventually(
        () => get('cross-chain/balances'),
        ({ outbound }) => outbound.length === 0,
      );
      expect(emptied.outbound).toEqual([]);
    });

    test('search finds every kind of text', async () => {
      const search = async (q: string) => get(`search?q=${encodeURIComponent(q)}`);
      const kinds = async (q: string) => (await search(q)).results.map(({ kind, id }: Json) => `${kind} ${id}`);
      const { blockHash } = await get('blocks/1/transactions');
      const utxoID = idText((own[0] as (typeof own)[0]).id);
      expect(await kinds('1')).toEqual(['block 1']);
      expect(await kinds('999999')).toEqual([]);
      expect(await kinds(` ${blockHash} `)).toEqual([`block ${blockHash}`]);
      expect(await kinds(idText(first.id))).toEqual([`transaction ${idText(first.id)}`]);
      expect(await kinds(`0x${first.id}`)).toEqual([`transaction ${idText(first.id)}`]);
      expect((await kinds(avaxText)).sort()).toEqual([`asset ${avaxText}`, `transaction ${avaxText}`]);
      expect(await kinds(utxoID)).toEqual([`utxo ${utxoID}`]);
      for (const text of [utxoID.slice(0, 7), `${utxoID.slice(0, 8)}…${utxoID.slice(-6)}`])
        expect([text, await kinds(text)]).toEqual([text, [`utxo ${utxoID}`]]);
      expect(await kinds(`${utxoID.slice(0, 8)}…zzzzzz`)).toEqual([]);
      expect([await kinds('#1'), await kinds('0,001')]).toEqual([['block 1'], ['block 1']]);
      const id = idText(first.id);
      for (const text of [id.slice(0, 7), `${id.slice(0, 8)}…${id.slice(-6)}`, `${id.slice(0, 8)}...${id.slice(-6)}`])
        expect([text, await kinds(text)]).toEqual([text, [`transaction ${id}`]]);
      expect(await kinds(`${id.slice(0, 8)}…zzzzzz`)).toEqual([]);
      expect(await kinds(`${id.slice(0, 4)}…${id.slice(-3)}`)).toEqual([`transaction ${id}`]);
      expect(await kinds(blockHash.slice(0, 8))).toEqual([`block ${blockHash}`]);
      for (const page of ['http://127.0.0.1:9650/tx/', 'https://subnets.avax.network/x-chain/tx/', 'https://avascan.info/blockchain/x/tx/'])
        expect([page, await kinds(page + id)]).toEqual([page, [`transaction ${id}`]]);
      expect(await kinds('https://subnets.avax.network/x-chain/block/1')).toEqual(['block 1']);
      expect((await search('plorer co')).results).toMatchObject([{ kind: 'asset', title: 'Explorer Coin (XPL)', isPartial: true }]);
      expect(await kinds('xpl')).toHaveLength(1);
      expect(await kinds('Explorer Coin')).toHaveLength(1);
      const address = shown(ann);
      for (const spelling of [address, `X-${address}`, `P-${address}`, address.toUpperCase(), `0x${ann.address}`])
        expect([spelling, await kinds(spelling)]).toEqual([spelling, [`address ${address}`]]);
      // As lists, phones and the head of the address page show it, and as another network spells it.
      const fuji = createAddressFormatter('X', 'fuji')(ann.address);
      const shortenTo = (name: string, start: number, end: number) => `${name.slice(0, start)}…${name.slice(-end)}`;
      for (const short of [
        shortenTo(`X-${address}`, 13, 6),
        shortenTo(`X-${address}`, 11, 3),
        shortenTo(`P-${address}`, 14, 6),
        shortenTo(address.slice('local1'.length), 5, 6),
        shortenTo(fuji, 12, 6),
        `${fuji.slice(2, 12)}…`,
        `${address.slice(0, 12)}...`,
        address.slice(0, 12),
      ])
        expect([short, await kinds(short)]).toEqual([short, [`address ${address}`]]);
      expect(await kinds(shortenTo(`X-${address.slice(0, -1)}b`, 13, 6))).toEqual([]);
      expect(await kinds('NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg')).toEqual(['node NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg']);
      const dropped = await search(idText(second.id));
      expect(dropped.results).toMatchObject([
        { kind: 'transaction', status: expect.any(String), link: expect.stringContaining('/lifecycle') },
      ]);
      const signed = (await search(formatHex('hex', second.bytes))).results;
      expect(signed).toMatchObject([
        { kind: 'signedTransaction', id: idText(second.id), isIssuable: true, transaction: { txType: 'BaseTx' } },
      ]);
      expect((await search(formatHex('hex', rival.bytes))).results).toMatchObject([
        { isIssuable: false, refusal: { code: expect.any(String) } },
      ]);
      const changed = (text: string) => `${text.slice(0, 20)}${text[20] === 'z' ? 'y' : 'z'}${text.slice(21)}`;
      for (const text of [`X-${address}`, utxoID, 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg'])
        expect(await search(changed(text))).toMatchObject({ results: [], didYouMean: [text] });
      const twins: string[] = [];
      for (let i = 0; i < 12; i++) twins.push((await node.dev('dev.createAsset', { name: 'Twin', symbol: 'TWN', supply: '1' })).assetID);
      const found = await search('twn');
      expect(found.results.map(({ id }: Json) => id)).toEqual(twins.slice(0, 10));
      expect([found.moreResults, (await search('xpl')).moreResults]).toEqual([2, 0]);
      for (const { link } of (await search(avaxText)).results) expect((await node.program().client.send('GET', link)).status).toBe(200);
    });

    test('hostile input gets an error or an empty answer', async () => {
      const hostile = [
        '%20',
        "'%3B%20DROP%20TABLE%20c1_tx--",
        '../../etc',
        '9'.repeat(400),
        '1'.repeat(90),
        'z'.repeat(2000),
        '0x',
        '%F0%9F%92%A9',
      ];
      for (const q of hostile) expect([q, await statusOf(`search?q=${q}`)]).toEqual([q, 200]);
      for (const q of ['%ff%fe', '%00']) expect(await statusOf(`search?q=${q}`)).toBe(400);
      expect(await statusOf(`search?q=${'a'.repeat(8193)}`)).toBe(400);
      expect(await statusOf('search')).toBe(400);
      for (const seconds of ['0', '3601', '-1', '1e3', 'x']) expect(await statusOf(`throughput?seconds=${seconds}`)).toBe(400);
      for (const days of ['0', '367', '-1', 'x']) expect(await statusOf(`assets/${avaxText}/days?days=${days}`)).toBe(400);
      for (const path of [
        'assets',
        'mempool',
        'dropped-transactions',
        'block-summaries',
        'cross-chain/transfers',
        `assets/${avaxText}/holders`,
      ]) {
        expect(await statusOf(`${path}?pageSize=101`)).toBe(400);
        expect(await statusOf(`${path}?pageToken=nonsense`)).toBe(400);
      }
      const token = (await get('block-summaries?pageSize=1')).nextPageToken;
      expect(await statusOf(`assets?pageToken=${token}`)).toBe(400);
      expect(await statusOf('assets/nonsense/holders')).toBe(400);
      expect((await node.program().client.send('GET', '/v1/networks/local/blockchains/nope/mempool')).status).toBe(404);
      expect((await node.program().client.send('POST', `${root}/mempool`)).status).not.toBe(200);
    });

    test('the history of the node has what was accepted, issued, refused and dropped, by the real clock and after a revert', async () => {
      await node.dev('dev.increaseTime', { seconds: 90 * 86_400 });
      const sum = ({ buckets }: Json, name: string): number => buckets.reduce((total: number, bucket: Json) => total + bucket[name], 0);
      const names = ['issued', 'refused', 'dropped'];
      const before = Math.floor(Date.now() / 1000);
      await node.issue(rival);
      const history = await eventually(
        () => get('node-history?seconds=3600&bucketSeconds=15'),
        ({ buckets }) => buckets.at(-1)?.timestamp > before - 15 && sum({ buckets }, 'txCount') > 0,
      );
      expect(names.map((name) => sum(history, name) > 0)).toEqual([true, true, true]);
      expect(sum(history, 'txCount')).toBeGreaterThanOrEqual(sum(history, 'blockCount'));
      expect(sum(history, 'bytes')).toBeGreaterThan(0);
      for (const { timestamp, seconds, cpuSeconds, residentBytes } of history.buckets) {
        expect([timestamp % 15, timestamp <= history.endTimestamp, seconds > 0 && seconds < 30]).toEqual([0, true, true]);
        expect([cpuSeconds >= 0, residentBytes > 1e6]).toEqual([true, true]);
      }
      expect(Math.abs(history.endTimestamp - Date.now() / 1000)).toBeLessThan(60);
      expect(history.checks.map(({ name }: Json) => name)).toContain('database');
      expect((await get('node-history?seconds=86400&bucketSeconds=5')).bucketSeconds).toBe(60);
      for (const query of ['seconds=59', 'seconds=86401', 'bucketSeconds=4', 'bucketSeconds=3601', 'seconds=x'])
        expect([query, await statusOf(`node-history?${query}`)]).toEqual([query, 400]);
    });

    test('every process gives the same answers', async () => {
      for (const path of ['mempool', 'dropped-transactions', `transactions/${idText(rival.id)}/lifecycle`, 'assets', 'block-summaries'])
        expect([path, (await node.getEverywhere(`${root}/${path}`)).length]).toEqual([path, 1]);
      expect((await get(`transactions/${idText(rival.id)}/checks`)).isIssuable).toBe(false);
    });

    test('every route has answered', () => {
      expect(routes.map(({ id }) => id).filter((id) => !answeredRoutes.has(id))).toEqual([]);
    });
  });
