import { expect } from 'bun:test';
import { utils } from '@avalabs/avalanchejs';
import { balancesOf, expectError, onX, rawJson, readAllPages, utxosOf } from './data-client.ts';
import { local } from './local-network.ts';
import { amounts, fujiAddress } from './sample-chain.ts';
import type { Stories } from './story-context.ts';

/** UTXOs, balances, assets and chains. */
export const outputStories: Stories = {
  'unspent outputs of an address': async ({ sample, client: { data, at } }) => {
    const { bob, frank, js, txs } = sample;
    const { utxos } = data.primaryNetwork;
    type Params = Omit<Parameters<typeof utxos.listByAddresses>[0], 'blockchainId'>;
    const list = (request: Params) => readAllPages(utxos.listByAddresses({ ...onX, pageSize: 2, ...request }, at), utxosOf);

    const ofBob = await list({ addresses: fujiAddress(bob) });
    expect(ids(ofBob).sort()).toEqual((await js.utxos(bob)).map((utxo) => utxo.ID()).sort());
    expect(ofBob.every(({ consumingTxHash }) => consumingTxHash === undefined)).toBe(true);
    expect(ofBob[0]!.creationTxHash).toBe(txs.nftTransfer);
    expect(ids(await list({ addresses: fujiAddress(bob), sortOrder: 'asc' }))).toEqual(ids(ofBob).toReversed());
    expect((await list({ addresses: bob.addressOn('X'), assetId: txs.asset })).map(({ asset }) => asset.amount)).toEqual([
      `${amounts.minted}`,
    ]);
    expect((await list({ addresses: fujiAddress(frank) })).map(({ asset }) => BigInt(asset.amount)).sort()).toEqual(
      amounts.smallPayments.toSorted(),
    );
  },

  'spent outputs': async ({ sample, client: { data, at } }) => {
    const { alice, txs } = sample;
    const request = { ...onX, addresses: fujiAddress(alice), pageSize: 100 };
    const unspent = await readAllPages(data.primaryNetwork.utxos.listByAddresses(request, at), utxosOf);
    const all = await readAllPages(data.primaryNetwork.utxos.listByAddresses({ ...request, includeSpent: true }, at), utxosOf);
    const funding = all.find(({ creationTxHash }) => creationTxHash === txs.funding);
    expect(funding).toMatchObject({ consumingTxHash: txs.payment, asset: { amount: `${amounts.funding}` } });
    expect(ids(all.filter(({ consumingTxHash }) => consumingTxHash === undefined))).toEqual(ids(unspent));
    expect(ids(unspent)).not.toContain(funding!.utxoId);
  },

  'an output with three owners and threshold 2 is listed for two of them': async ({ sample, client: { data, at } }) => {
    const { carol, dora, erin, txs } = sample;
    const made = async (...owners: (typeof carol)[]) => {
      const addresses = owners.map(fujiAddress).join(',');
      return (await readAllPages(data.primaryNetwork.utxos.listByAddresses({ ...onX, addresses, pageSize: 100 }, at), utxosOf)).map(
        ({ creationTxHash }) => creationTxHash,
      );
    };
    expect(await made(carol)).toEqual([txs.locked]);
    expect(await made(dora)).toEqual([txs.imported]);
    expect(new Set(await made(carol, dora))).toEqual(new Set([txs.imported, txs.locked, txs.shared]));
    expect(await made(carol, dora, erin)).toContain(txs.shared);
  },

  'balances: unlocked, locked, and exported': async ({ sample, client: { data, at } }) => {
    const { alice, bob, carol, dora, frank, js, txs } = sample;
    const read = async (...owners: (typeof alice)[]) =>
      balancesOf(await data.primaryNetwork.balances.listByAddresses({ ...onX, addresses: owners.map(fujiAddress).join(',') }, at));
    const avax = { assetId: local.avaxAssetID, name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' } as const;

    const ofBob = await read(bob);
    expect(ofBob.unlocked).toContainEqual({ ...avax, amount: `${await js.balance(bob)}`, utxoCount: 1 });
    expect(ofBob.unlocked).toContainEqual(expect.objectContaining({ assetId: txs.asset, amount: `${amounts.minted}`, utxoCount: 1 }));
    expect([ofBob.locked, ofBob.atomicMemoryUnlocked, ofBob.atomicMemoryLocked]).toEqual([[], [], []]);
    const coined = amounts.smallPayments.reduce((sum, amount) => sum + amount, 0n);
    expect((await read(frank)).unlocked).toEqual([{ ...avax, amount: `${coined}`, utxoCount: amounts.smallPayments.length }]);

    const lockedUp = [{ ...avax, amount: `${amounts.locked}`, utxoCount: 1 }];
    expect(await read(carol)).toMatchObject({ unlocked: [], locked: lockedUp });
    const together = { ...avax, amount: `${amounts.shared + amounts.imported - local.txFee}`, utxoCount: 2 };
    expect(await read(carol, dora)).toMatchObject({ unlocked: [together], locked: lockedUp });

    expect((await read(alice)).atomicMemoryUnlocked).toEqual([
      { ...avax, amount: `${amounts.exported}`, utxoCount: 1, sharedWithChainId: local.pBlockchainID },
    ]);
    expect((await read(alice)).unlocked).toContainEqual(expect.objectContaining({ ...avax, amount: `${await js.balance(alice)}` }));
  },

  'balances at an earlier time': async ({ sample, client: { data, at } }) => {
    const { bob, frank, txs, splitTime } = sample;
    const then = async (blockTimestamp: number, owner: typeof bob) => {
      const request = { ...onX, addresses: fujiAddress(owner), blockTimestamp };
      const { unlocked } = balancesOf(await data.primaryNetwork.balances.listByAddresses(request, at));
      return Object.fromEntries(unlocked.map(({ assetId, amount }) => [assetId, amount]));
    };
    expect(await then(splitTime, bob)).toEqual({ [local.avaxAssetID]: `${amounts.payment}`, [txs.asset]: `${amounts.minted}` });
    expect(await then(splitTime, frank)).toEqual({});
    const genesisDay = 1_600_000_000;
    expect(await then(genesisDay, bob)).toEqual({});
  },

  'asset details': async ({ sample, client: { data, at, errors } }) => {
    const { txs } = sample;
    const details = (assetId: string) => data.primaryNetwork.getAssetDetails({ ...onX, assetId }, at);
    expect(await details(local.avaxAssetID)).toMatchObject({
      assetId: local.avaxAssetID,
      name: 'Avalanche',
      symbol: 'AVAX',
      denomination: 9,
      type: 'secp256k1',
      cap: 'fixed',
    });
    expect(await details(txs.asset)).toMatchObject({
      assetId: txs.asset,
      symbol: 'VAR',
      denomination: 2,
      type: 'secp256k1',
      cap: 'variable',
    });
    expect(await details(txs.nftAsset)).toMatchObject({ assetId: txs.nftAsset, symbol: 'NFT', type: 'nft' });
    for (const none of [local.xBlockchainID, txs.payment]) await expectError(errors.missing, details(none));
  },

  'no vertices, because this chain never had a DAG': async ({ client: { data, at, errors } }) => {
    const { vertices } = data.primaryNetwork;
    const found = ({ result }: { result: { vertices: object[] } }) => result.vertices;
    expect(await readAllPages(vertices.listLatest(onX, at), found)).toEqual([]);
    expect(await readAllPages(vertices.listByHeight({ ...onX, vertexHeight: 0 }, at), found)).toEqual([]);
    await expectError(errors.missing, vertices.getByHash({ ...onX, vertexHash: local.avaxAssetID }, at));
  },

  'chain IDs of addresses, which the client cannot read': async ({ node, sample, client: { data, at, errors } }) => {
    const { alice, bob } = sample;
    const nobody = utils.formatBech32(local.hrp, new Uint8Array(20));
    const addresses = [fujiAddress(alice), fujiAddress(bob), nobody].join(',');
    const answer = { addresses: [alice, bob].map((who) => ({ address: fujiAddress(who), blockchainIds: [local.xBlockchainID] })) };
    expect(await rawJson<object>(`${node.url}/v1/networks/fuji/addresses:listChainIds?addresses=${addresses}`)).toEqual(answer);
    // The client accepts only the chain IDs of mainnet and fuji.
    const why = await expectError(errors.unreadable, data.primaryNetwork.getChainIdsForAddresses({ addresses }, at));
    expect(why.rawValue).toEqual(answer);
  },

  'chains, none of them an EVM chain': async ({ node, client: { data, at, errors } }) => {
    const { chains } = await rawJson<{ chains: { vmName: string; platformChainId: string }[] }>(`${node.url}/v1/chains`);
    expect(chains).toMatchObject([{ vmName: 'AVM', platformChainId: local.xBlockchainID, status: 'OK' }]);
    // These two calls are for EVM chains: the client rejects other VM names.
    await expectError(errors.unreadable, data.evm.chains.list({}, at));
    await expectError(errors.unreadable, data.evm.chains.get({ chainId: local.xBlockchainID }, at));
  },

  'P-Chain calls return 404 with a message that names the P-Chain': async ({ sample, client: { data, at, errors } }) => {
    const { primaryNetwork: primary } = data;
    const addresses = sample.alice.addressOn('P');
    const nodeId = 'NodeID-7Xhw2mDxuDS44j42TCB6U5579esbSt3Lg';
    const calls: (() => Promise<unknown>)[] = [
      () => primary.getNetworkDetails({}, at),
      () => primary.listSubnets({}, at),
      () => primary.getSubnetById({ subnetId: local.pBlockchainID }, at),
      () => primary.listValidators({}, at),
      () => primary.getValidatorDetails({ nodeId }, at),
      () => primary.listDelegators({}, at),
      () => primary.listL1Validators({}, at),
      () => primary.rewards.listPendingRewards({ addresses }, at),
      () => primary.rewards.listHistoricalRewards({ addresses }, at),
      () => primary.transactions.listActiveStakingTransactions({ blockchainId: 'p-chain' }, at),
      () => primary.blocks.listLatest({ blockchainId: 'p-chain' }, at),
      () => primary.transactions.listLatest({ blockchainId: 'p-chain' }, at),
      () => primary.utxos.listByAddresses({ blockchainId: 'p-chain', addresses }, at),
      () => primary.balances.listByAddresses({ blockchainId: 'p-chain', addresses }, at),
    ];
    for (const call of calls) {
      const why = await expectError(errors.missing, call());
      expect(why.message).toContain('P-Chain');
      expect(why.data$).toMatchObject({ statusCode: 404, error: 'Not Found' });
    }
  },
};

const ids = (utxos: readonly { readonly utxoId: string }[]): string[] => utxos.map(({ utxoId }) => utxoId);
