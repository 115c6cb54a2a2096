import { formatUnits } from '../bytes/units.ts';
import { devCommand } from './client-command.ts';
import { formatTable } from './table.ts';

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
      formatTable(
        ['', 'Address', 'AVAX', 'Private key'],
        accounts.map(({ index, address, balance, privateKey }) => [
          String(index),
          address,
          formatUnits(balance, 9),
          privateKey ?? '(from your mnemonic)',
        ]),
        new Set([2]),
      ),
  ),
  faucet: devCommand('faucet', ([to, amount], { asset }) => ({ to, amount, assetID: asset }), formatTx),
  send: devCommand(
    'send',
    ([to, amount], { from, asset, memo, locktime }) => ({ from, to, amount, assetID: asset, memo, locktime }),
    formatTx,
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
    ({ txID, groupID }) => [`transaction ${txID}`, `group ${groupID}`],
  ),
  'nft send': devCommand('sendNFT', ([utxoID, to]) => ({ utxoID, to }), formatTx),
};
