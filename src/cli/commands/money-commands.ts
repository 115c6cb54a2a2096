import { formatUnits } from '../../base/bytes/units.ts';
import { findAsset } from './asset-labels.ts';
import { callDev, decodeDev, devCommand } from './client-command.ts';
import { badArgument } from './fault.ts';
import { resolveAddress } from './named-address.ts';
import { findSender, issuingCommand, readAssetAmount } from './receipt.ts';
import { joinUnit, readTypedAmount, toSmallestUnit } from './typed-amount.ts';

/** What `serac faucet` gives if no amount is typed. */
const faucetAmount = '1000';

/** Throws if there is an argument behind those that a command takes once `5 AVAX` counts as one. */
function takeArgs(args: readonly string[], amountAt: number, max: number): readonly string[] {
  const joined = joinUnit(args, amountAt);
  const extra = joined[max];
  if (extra === undefined) return joined;
  throw badArgument(extra, `unexpected argument ${JSON.stringify(extra)}; an amount is a number and maybe a unit, such as 5 AVAX`);
}

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
    const receipt = { asset, from, to, fee: 'txFee', amount } as const;
    return { params: { to: receiver, amount, assetID: asset.assetID }, describe: () => receipt };
  }),
  send: issuingCommand('send', async ({ client, args, options: { from: sender, asset: assetName, memo, locktime } }) => {
    const [receiver = '', text = ''] = takeArgs(args, 1, 2);
    const { amount, asset } = await readAssetAmount(client, text, assetName);
    const [to, from] = [await resolveAddress(client, receiver), await findSender(client, sender)];
    const receipt = { asset, from, to, fee: 'txFee', amount } as const;
    return { params: { from: sender, to: receiver, amount, assetID: asset.assetID, memo, locktime }, describe: () => receipt };
  }),
  export: issuingCommand('export', async ({ client, args, options: { from: sender, asset: assetName, memo, locktime } }) => {
    const [destinationChain = '', text = '', receiver] = takeArgs(args, 1, 3);
    const { amount, asset } = await readAssetAmount(client, text, assetName);
    const from = await findSender(client, sender);
    const chain = destinationChain.toUpperCase();
    const to = receiver === undefined ? undefined : await resolveAddress(client, receiver, chain);
    return {
      params: { destinationChain, from: sender, to: receiver, amount, assetID: asset.assetID, memo, locktime },
      describe: () => ({
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
    return {
      params: { from, to: receiver, amount, assetID: asset.assetID, locktime },
      describe: () => ({ note: 'deposited, waits for an import', amount, asset, from: `the ${from.toUpperCase()}-Chain`, to, fee: 'none' }),
    };
  }),
  'asset create': issuingCommand('createAsset', async ({ client, args: [name = '', symbol = '', supply], options }) => {
    const { denomination = 0, mintable, owner: holder } = options;
    const units = { symbol, denomination };
    const amount = supply === undefined ? 0n : toSmallestUnit(readTypedAmount(supply), units);
    const owner = holder === undefined ? undefined : await resolveAddress(client, holder);
    const from = await findSender(client);
    const note = mintable ? 'more can be minted' : undefined;
    return {
      params: { name, symbol, denomination, supply: amount, owner: holder, mintable },
      describe: () => ({ note, amount, asset: units, from, to: owner ?? from, fee: 'createAssetTxFee' }),
    };
  }),
  'asset mint': issuingCommand('mint', async ({ client, args }) => {
    const [name = '', receiver = '', text = ''] = takeArgs(args, 2, 3);
    const { amount, asset } = await readAssetAmount(client, text, name);
    const [to, from] = [await resolveAddress(client, receiver), await findSender(client)];
    return {
      params: { assetID: asset.assetID, to: receiver, amount },
      describe: () => ({ amount, asset, from, to, fee: 'txFee' }),
    };
  }),
  'nft create': issuingCommand('createNFT', async ({ client, args: [name, symbol], options: { groups } }) => {
    const from = await findSender(client);
    return {
      params: { name, symbol, groups },
      describe: () => ({ from, to: from, fee: 'createAssetTxFee' }),
    };
  }),
  'nft mint': issuingCommand('mintNFT', async ({ client, args: [name = '', receiver = '', payload] }) => {
    const asset = await findAsset(client, name);
    const [to, from] = [await resolveAddress(client, receiver), await findSender(client)];
    return {
      params: { assetID: asset.assetID, to: receiver, payload },
      describe: ({ groupID }) => ({ note: `group ${groupID}`, asset, from, to, fee: 'txFee' }),
    };
  }),
  'nft send': issuingCommand('sendNFT', async ({ client, args: [utxoID, receiver = ''] }) => {
    const nft = decodeDev('getUTXO', await callDev(client, 'getUTXO', { utxoID }));
    const to = await resolveAddress(client, receiver);
    return {
      params: { utxoID, to: receiver },
      describe: () => ({ note: `group ${nft.groupID ?? 0}`, asset: nft, from: nft.addresses.join(', '), to, fee: 'txFee' }),
    };
  }),
};
