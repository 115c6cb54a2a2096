import { expect } from 'bun:test';
import { utils } from '@avalabs/avalanchejs';
import { balancesOf, failure, onX, rawJson, utxosOf, walk } from './data-client.ts';
import type { Stories } from './data-scene.ts';
import { amounts, bare } from './data-world.ts';
import { local } from './local-network.ts';

/** Outputs, balances, assets and chains. */
export const holdings: Stories = {
  'outputs of an address': async ({ world, client: { data, at } }) => {
    const { bob, frank, js, txs } = world;
    const { utxos } = data.primaryNetwork;
    type Asked = Omit<Parameters<typeof utxos.listByAddresses>[0], 'blockchainId'>;
    const list = (asked: Asked) => walk(utxos.listByAddresses({ ...onX, pageSize: 2, ...asked }, at), utxosOf);

    const ofBob = await list({ addresses: bare(bob) });
    expect(ids(ofBob).sort()).toEqual((await js.utxos(bob)).map((utxo) => utxo.ID()).sort());
    expect(ofBob.every(({ consumingTxHash }) => consumingTxHash === undefined)).toBe(true);
    expect(ofBob[0]!.creationTxHash).toBe(txs.passed);
    expect(ids(await list({ addresses: bare(bob), sortOrder: 'asc' }))).toEqual(ids(ofBob).toReversed());
    expect((await list({ addresses: bob.on('X'), assetId: txs.asset })).map(({ asset }) => asset.amount)).toEqual([`${amounts.minted}`]);
    expect((await list({ addresses: bare(frank) })).map(({ asset }) => BigInt(asset.amount)).sort()).toEqual(amounts.coinage.toSorted());
  },

  'outputs that are gone': async ({ world, client: { data, at } }) => {
    const { alice, txs } = world;
    const asked = { ...onX, addresses: bare(alice), pageSize: 100 };
    const open = await walk(data.primaryNetwork.utxos.listByAddresses(asked, at), utxosOf);
    const all = await walk(data.primaryNetwork.utxos.listByAddresses({ ...asked, includeSpent: true }, at), utxosOf);
    const funding = all.find(({ creationTxHash }) => creationTxHash === txs.funding);
    expect(funding).toMatchObject({ consumingTxHash: txs.gift, asset: { amount: `${amounts.funding}` } });
    expect(ids(all.filter(({ consumingTxHash }) => consumingTxHash === undefined))).toEqual(ids(open));
    expect(ids(open)).not.toContain(funding!.utxoId);
  },

  'an output shared by three is there for two of them': async ({ world, client: { data, at } }) => {
    const { carol, dora, erin, txs } = world;
    const made = async (...owners: (typeof carol)[]) => {
      const addresses = owners.map(bare).join(',');
      return (await walk(data.primaryNetwork.utxos.listByAddresses({ ...onX, addresses, pageSize: 100 }, at), utxosOf)).map(
        ({ creationTxHash }) => creationTxHash,
      );
    };
    expect(await made(carol)).toEqual([txs.locked]);
    expect(await made(dora)).toEqual([txs.imported]);
    expect(new Set(await made(carol, dora))).toEqual(new Set([txs.imported, txs.locked, txs.shared]));
    expect(await made(carol, dora, erin)).toContain(txs.shared);
  },

  'balances: to be had, locked, and on their way': async ({ world, client: { data, at } }) => {
    const { alice, bob, carol, dora, frank, js, txs } = world;
    const read = async (...owners: (typeof alice)[]) =>
      balancesOf(await data.primaryNetwork.balances.listByAddresses({ ...onX, addresses: owners.map(bare).join(',') }, at));
    const avax = { assetId: local.avaxAssetID, name: 'Avalanche', symbol: 'AVAX', denomination: 9, type: 'secp256k1' } as const;

    const ofBob = await read(bob);
    expect(ofBob.unlocked).toContainEqual({ ...avax, amount: `${await js.balance(bob)}`, utxoCount: 1 });
    expect(ofBob.unlocked).toContainEqual(expect.objectContaining({ assetId: txs.asset, amount: `${amounts.minted}`, utxoCount: 1 }));
    expect([ofBob.locked, ofBob.atomicMemoryUnlocked, ofBob.atomicMemoryLocked]).toEqual([[], [], []]);
    const coined = amounts.coinage.reduce((sum, amount) => sum + amount, 0n);
    expect((await read(frank)).unlocked).toEqual([{ ...avax, amount: `${coined}`, utxoCount: amounts.coinage.length }]);

    const lockedUp = [{ ...avax, amount: `${amounts.locked}`, utxoCount: 1 }];
    expect(await read(carol)).toMatchObject({ unlocked: [], locked: lockedUp });
    const together = { ...avax, amount: `${amounts.shared + amounts.imported - local.txFee}`, utxoCount: 2 };
    expect(await read(carol, dora)).toMatchObject({ unlocked: [together], locked: lockedUp });

    expect((await read(alice)).atomicMemoryUnlocked).toEqual([
      { ...avax, amount: `${amounts.exported}`, utxoCount: 1, sharedWithChainId: local.pBlockchainID },
    ]);
    expect((await read(alice)).unlocked).toContainEqual(expect.objectContaining({ ...avax, amount: `${await js.balance(alice)}` }));
  },

  'balances as they were': async ({ world, client: { data, at } }) => {
    const { bob, frank, txs, turn } = world;
    const then = async (blockTimestamp: number, owner: typeof bob) => {
      const asked = { ...onX, addresses: bare(owner), blockTimestamp };
      const { unlocked } = balancesOf(await data.primaryNetwork.balances.listByAddresses(asked, at));
      return Object.fromEntries(unlocked.map(({ assetId, amount }) => [assetId, amount]));
    };
    expect(await then(turn, bob)).toEqual({ [local.avaxAssetID]: `${amounts.gift}`, [txs.asset]: `${amounts.minted}` });
    expect(await then(turn, frank)).toEqual({});
    const genesisDay = 1_600_000_000;
    expect(await then(genesisDay, bob)).toEqual({});
  },

  'assets, old and new': async ({ world, client: { data, at, errors } }) => {
    const { txs } = world;
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
    expect(await details(txs.family)).toMatchObject({ assetId: txs.family, symbol: 'NFT', type: 'nft' });
    for (const none of [local.xBlockchainID, txs.gift]) await failure(errors.missing, details(none));
  },

  'no vertices: this chain never had any': async ({ client: { data, at, errors } }) => {
    const { vertices } = data.primaryNetwork;
    const found = ({ result }: { result: { vertices: object[] } }) => result.vertices;
    expect(await walk(vertices.listLatest(onX, at), found)).toEqual([]);
    expect(await walk(vertices.listByHeight({ ...onX, vertexHeight: 0 }, at), found)).toEqual([]);
    await failure(errors.missing, vertices.getByHash({ ...onX, vertexHash: local.avaxAssetID }, at));
  },

  'chain IDs of addresses, which the client cannot read': async ({ node, world, client: { data, at, errors } }) => {
    const { alice, bob } = world;
    const nobody = utils.formatBech32(local.hrp, new Uint8Array(20));
    const addresses = [bare(alice), bare(bob), nobody].join(',');
    const answer = { addresses: [alice, bob].map((who) => ({ address: bare(who), blockchainIds: [local.xBlockchainID] })) };
    expect(await rawJson<object>(`${node.url}/v1/networks/fuji/addresses:listChainIds?addresses=${addresses}`)).toEqual(answer);
    // It accepts the chain IDs of mainnet and fuji only; a private chain has its own.
    const why = await failure(errors.unreadable, data.primaryNetwork.getChainIdsForAddresses({ addresses }, at));
    expect(why.rawValue).toEqual(answer);
  },

  'chains, none of them an EVM': async ({ node, client: { data, at, errors } }) => {
    const { chains } = await rawJson<{ chains: { vmName: string; platformChainId: string }[] }>(`${node.url}/v1/chains`);
    expect(chains).toMatchObject([{ vmName: 'AVM', platformChainId: local.xBlockchainID, status: 'OK' }]);
    // These two calls are for EVM chains: the client has no name for another VM.
    await failure(errors.unreadable, data.evm.chains.list({}, at));
    await failure(errors.unreadable, data.evm.chains.get({ chainId: local.xBlockchainID }, at));
  },

  'P-Chain data is elsewhere, and the answer says so': async ({ world, client: { data, at, errors } }) => {
    const { primaryNetwork: primary } = data;
    const addresses = world.alice.on('P');
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
      const why = await failure(errors.missing, call());
      expect(why.message).toContain('P-Chain');
      expect(why.data$).toMatchObject({ statusCode: 404, error: 'Not Found' });
    }
  },
};

const ids = (utxos: readonly { readonly utxoId: string }[]): string[] => utxos.map(({ utxoId }) => utxoId);
