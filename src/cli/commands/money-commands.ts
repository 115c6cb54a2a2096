import type { RpcClient } from '../../api/client/rpc-client.ts';
import { formatUnits } from '../../base/bytes/units.ts';
import { createAssetDescriber, type DescribeAsset, findAsset } from './asset-labels.ts';
import { callDev, type DevResult, decodeDev, devCommand } from './client-command.ts';
import { badArgument } from './fault.ts';
import { readLabels, resolveAddress } from './named-address.ts';
import { findSender, issuingCommand, type Moved, readAssetAmount } from './receipt.ts';
import { assetOfUnit, joinUnit, readTypedAmount, toSmallestUnit } from './typed-amount.ts';

/** What `serac faucet` gives if no amount is typed. */
const faucetAmount = '1000';

/** Throws if there is an argument behind those that a command takes once `5 AVAX` counts as one. */
function takeArgs(args: readonly string[], amountAt: number, max: number): readonly string[] {
  const joined = joinUnit(args, amountAt);
  const extra = joined[max];
  if (extra === undefined) return joined;
  throw badArgument(extra, `unexpected argument ${JSON.stringify(extra)}; an amount is a number and maybe a unit, such as 5 AVAX`);
}

/** Whether the last of three arguments is a label although it could be a unit: `C 5 bob`, where no asset has this symbol. */
const endsWithLabel = async (client: RpcClient, args: readonly string[]): Promise<boolean> =>
  args.length === 3 &&
  joinUnit(args, 1).length < 3 &&
  (await readLabels(client)).some(({ name }) => name === args[2]) &&
  (await findAsset(client, assetOfUnit(args[2] ?? '')).then(
    () => false,
    () => true,
  ));

/** Commands that move, create and mint: each is one `dev.*` call. */
export const moneyCommands = {
  accounts: devCommand(
    'accounts',
    () => ({}),
    ({ accounts }) =>
      accounts.flatMap(({ index, address, label, balance, privateKey }) => [
        `${String(index).padEnd(3)} ${address}  ${formatUnits(balance, 9)} AVAX`,
        ...(label === undefined ? [] : [`    ${label}`]),
        `    ${privateKey ?? 'the private key is that of your mnemonic'}`,
      ]),
  ),
  faucet: issuingCommand('faucet', async ({ client, args, options }) => {
    const [receiver = '', text] = takeArgs(args, 1, 2);
    const { amount, asset } = await readAssetAmount(client, text ?? faucetAmount, options.asset);
    const [to, from] = [await resolveAddress(client, receiver), await findSender(client)];
    const receipt = { done: 'sent', asset, from, to, fee: 'txFee', amount } as const;
    return { params: { to: receiver, amount, assetID: asset.assetID }, describe: () => receipt };
  }),
  send: issuingCommand('send', async ({ client, args, options: { from: sender, asset: assetName, memo, locktime, threshold } }) => {
    const [receivers = '', text = ''] = takeArgs(args, 1, 2);
    const { amount, asset } = await readAssetAmount(client, text, assetName);
    const owners = receivers.split(',');
    const addresses = await Promise.all(owners.map((owner) => resolveAddress(client, owner)));
    const from = await findSender(client, sender);
    const receipt = { done: 'sent', asset, from, to: addresses.join(', '), fee: 'txFee', amount } as const;
    return { params: { from: sender, to: owners, amount, assetID: asset.assetID, memo, locktime, threshold }, describe: () => receipt };
  }),
  export: issuingCommand('export', async ({ client, args, options: { from: sender, asset: assetName, memo, locktime } }) => {
    const [destinationChain = '', text = '', receiver] = (await endsWithLabel(client, args)) ? args : takeArgs(args, 1, 3);
    const { amount, asset } = await readAssetAmount(client, text, assetName);
    const from = await findSender(client, sender);
    const chain = destinationChain.toUpperCase();
    const to = receiver === undefined ? undefined : await resolveAddress(client, receiver, chain);
    return {
      params: { destinationChain, from: sender, to: receiver, amount, assetID: asset.assetID, memo, locktime },
      describe: () => ({
        done: `exported to the ${chain}-Chain`,
        amount,
        asset,
        from,
        to: to ?? from?.replace(/^X/, chain),
        fee: 'txFee',
      }),
    };
  }),
  deposit: issuingCommand('atomicDeposit', async ({ client, args, options: { asset: assetName, locktime } }) => {
    const [from = '', receiver = '', text = ''] = takeArgs(args, 2, 3);
    const { amount, asset } = await readAssetAmount(client, text, assetName);
    const to = await resolveAddress(client, receiver);
    const source = `${from.toUpperCase()}-Chain`;
    // A whole address would make the line longer than a terminal.
    const isAddress = receiver === to;
    const note = `serac import ${isAddress ? 'ADDRESS' : receiver} imports it`;
    const owner = isAddress ? '' : ` for ${/^\d+$/.test(receiver) ? 'account ' : ''}${receiver}`;
    return {
      params: { from, to: receiver, amount, assetID: asset.assetID, locktime },
      describe: () => ({ done: `deposited from the ${source}${owner}`, note, amount, asset, from: source, to, fee: 'none' }),
    };
  }),
  import: issuingCommand('import', async ({ client, args, options: { to: receiver, memo } }) => {
    const [sourceChain, who] = isCounterpart(args[0]) ? args : [undefined, ...args];
    const extra = sourceChain === undefined ? args[1] : undefined;
    if (extra !== undefined)
      throw badArgument(extra, `unexpected argument ${JSON.stringify(extra)}; usage: serac import [CHAIN] [ADDRESS]`);
    return {
      params: { sourceChain, from: who, to: receiver, memo },
      describe: async ({ imports, remaining }) => {
        const owner = await findSender(client, receiver ?? who);
        const note = remaining === 0 ? undefined : `${remaining} still wait: locked, shared, or too many for one transaction`;
        const describe = createAssetDescriber(client);
        return Promise.all(imports.map((one) => describeImport(one, owner, note, describe)));
      },
    };
  }),
  'asset create': issuingCommand('createAsset', async ({ client, args: [name = '', symbol = '', supply], options }) => {
    const { denomination = 0, mintable, owner: holder } = options;
    const units = { symbol, denomination };
    const amount = supply === undefined ? 0n : toSmallestUnit(readTypedAmount(supply), units);
    const owner = holder === undefined ? undefined : await resolveAddress(client, holder);
    const from = await findSender(client);
    const note = mintable ? 'account 0 can mint more' : undefined;
    return {
      params: { name, symbol, denomination, supply: amount, owner: holder, mintable },
      describe: ({ assetID }) => ({
        done: 'created',
        note,
        amount: amount === 0n ? undefined : amount,
        asset: { ...units, assetID },
        from,
        to: owner ?? from,
        fee: 'createAssetTxFee',
      }),
    };
  }),
  'asset mint': issuingCommand('mint', async ({ client, args }) => {
    const [name = '', receiver = '', text = ''] = takeArgs(args, 2, 3);
    const { amount, asset } = await readAssetAmount(client, text, name);
    const [to, from] = [await resolveAddress(client, receiver), await findSender(client)];
    return {
      params: { assetID: asset.assetID, to: receiver, amount },
      describe: () => ({ done: 'minted', amount, asset, from, to, fee: 'txFee' }),
    };
  }),
  'nft create': issuingCommand('createNFT', async ({ client, args: [name, symbol = ''], options: { groups } }) => {
    const from = await findSender(client);
    return {
      params: { name, symbol, groups },
      describe: ({ assetID }) => ({
        done: 'created',
        asset: { symbol, denomination: 0, assetID },
        from,
        to: from,
        fee: 'createAssetTxFee',
      }),
    };
  }),
  'nft mint': issuingCommand('mintNFT', async ({ client, args: [name = '', receiver = '', payload] }) => {
    const asset = await findAsset(client, name);
    const [to, from] = [await resolveAddress(client, receiver), await findSender(client)];
    return {
      params: { assetID: asset.assetID, to: receiver, payload },
      describe: ({ groupID }) => ({
        done: 'minted',
        note: `group ${groupID}`,
        amount: 1n,
        asset: { ...asset, denomination: 0 },
        from,
        to,
        fee: 'txFee',
      }),
    };
  }),
  'nft send': issuingCommand('sendNFT', async ({ client, args: [utxoID = '', receiver = ''] }) => {
    if (!/^\w{40,64}(:\d+)?$/.test(utxoID))
      throw badArgument(
        utxoID,
        `${JSON.stringify(utxoID)} is not the ID of an output; serac nft list lists NFTs with the outputs they are in`,
      );
    const nft = decodeDev('getUTXO', await callDev(client, 'getUTXO', { utxoID }));
    const to = await resolveAddress(client, receiver);
    return {
      params: { utxoID, to: receiver },
      describe: () => ({
        done: 'sent',
        note: `group ${nft.groupID ?? 0}`,
        amount: 1n,
        asset: { assetID: nft.assetID, symbol: nft.symbol, denomination: 0 },
        from: nft.addresses.join(', '),
        to,
        fee: 'txFee',
      }),
    };
  }),
};

const isCounterpart = (text: string | undefined): boolean => text !== undefined && /^[PC]$/i.test(text);

/** The receipt of one import. Amounts of assets that the node does not know are in the smallest unit. */
async function describeImport(
  { txID, sourceChain, amounts }: DevResult<'import'>['imports'][number],
  to: string | undefined,
  note: string | undefined,
  describe: DescribeAsset,
): Promise<Moved> {
  const [first, ...others] = await Promise.all(
    amounts.map(async ({ assetID, amount }) => ({
      amount,
      asset: (await describe(assetID)) ?? { assetID, symbol: assetID, denomination: 0 },
    })),
  );
  return {
    done: `imported from the ${sourceChain}-Chain`,
    note,
    amount: first?.amount,
    asset: first?.asset,
    others,
    from: `${sourceChain}-Chain`,
    to,
    fee: 'txFee',
    txID,
  };
}
