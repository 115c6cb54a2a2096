import { formatUnits } from '../../base/bytes/units.ts';
import { devCommand } from './client-command.ts';

type Issued = { readonly txID: string };
type Created = Issued & { readonly assetID: string };

const formatTx = ({ txID }: Issued): string[] => [`transaction ${txID}`];
const formatAsset = ({ assetID, txID }: Created): string[] => [`asset ${assetID}`, ...(txID === assetID ? [] : [`transaction ${txID}`])];

/** Commands that move, create and mint: each is one `dev.*` call. */
export const moneyCommands = {
  accounts: devCommand(
    'accounts',
    () => ({}),
    ({ accounts }) =>
      accounts.flatMap(({ index, address, balance, privateKey }) => [
        `${String(index).padEnd(3)} ${address}  ${formatUnits(balance, 9)} AVAX`,
        `    ${privateKey ?? 'the private key is that of your mnemonic'}`,
      ]),
  ),
  faucet: devCommand('faucet', ([to, amount], { asset }) => ({ to, amount, assetID: asset }), formatTx),
  send: devCommand(
    'send',
    ([to, amount], { from, asset, memo, locktime }) => ({ from, to, amount, assetID: asset, memo, locktime }),
    formatTx,
  ),
  export: devCommand(
    'export',
    ([destinationChain, amount, to], { from, asset, memo, locktime }) => ({
      destinationChain: destinationChain as 'P' | 'C',
      from,
      to,
      amount,
      assetID: asset,
      memo,
      locktime,
    }),
    ({ txID, utxoID }) => [`transaction ${txID}`, `output ${utxoID}`],
  ),
  deposit: devCommand(
    'atomicDeposit',
    ([from, to, amount], { asset, locktime }) => ({ from: from as 'P' | 'C', to, amount, assetID: asset, locktime }),
    ({ utxoID }) => [`output ${utxoID}`],
  ),
  'asset create': devCommand(
    'createAsset',
    ([name, symbol, supply], { denomination = 0, mintable, owner }) => ({
      name,
      symbol,
      denomination,
      supply: supply ?? '0',
      owner,
      mintable,
    }),
    formatAsset,
  ),
  'asset mint': devCommand('mint', ([assetID, to, amount]) => ({ assetID, to, amount }), formatTx),
  'nft create': devCommand('createNFT', ([name, symbol], { groups }) => ({ name, symbol, groups }), formatAsset),
  'nft mint': devCommand(
    'mintNFT',
    ([assetID, to, payload]) => ({ assetID, to, payload }),
    ({ txID, groupID, utxoID }) => [`transaction ${txID}`, `NFT ${utxoID}, group ${groupID}`],
  ),
  'nft send': devCommand(
    'sendNFT',
    ([utxoID, to]) => ({ utxoID, to }),
    ({ txID, utxoID }) => [`transaction ${txID}`, `NFT ${utxoID}`],
  ),
};
