import { getUTXOs } from './avm-methods.ts';
import { method, positionalMethod } from './method.ts';
import { id, integer, integerText, list, optional, record, text } from './schema.ts';

/** Methods of the P-Chain that X-Chain clients call: `platform.*`. AvalancheGo: vms/platformvm/service.go. */
export const platformRows = {
  getFeeConfig: method(
    {},
    record({
      weights: list(integer()),
      maxCapacity: integer(),
      maxPerSecond: integer(),
      targetPerSecond: integer(),
      minPrice: integer(),
      excessConversionConstant: integer(),
    }),
  ),
  getFeeState: method({}, record({ capacity: integer(), excess: integer(), price: integer(), timestamp: text() })),
  getHeight: method({}, record({ height: integerText() })),
  getStakingAssetID: method({ subnetID: optional(id()) }, record({ assetID: id() })),
  getUTXOs,
};

/** Methods of the C-Chain: `avax.*`. AvalancheGo: coreth plugin/evm/atomic/vm/api.go. */
export const avaxRows = { getUTXOs };

const account = {
  address: text('0x and 40 hex digits.'),
  block: text('"latest", another tag, or "0x0".'),
};
const quantity = text('0x and hex digits.');

/** Methods that wallets call on the C-Chain before they use the X-Chain. Their names have no service prefix. */
export const evmRows = {
  eth_chainId: positionalMethod({}, quantity),
  eth_getBalance: positionalMethod(account, quantity),
  eth_getTransactionCount: positionalMethod(account, quantity),
};
