import { expect } from 'bun:test';
import type { Operation } from '../../../src/avm/tx/operation.ts';
import type { Utxo } from '../../../src/avm/tx/utxo.ts';
import { parseId } from '../../../src/base/bytes/id.ts';
import type { Node } from './node.ts';
import { createAssetTx, listUtxos, operationTx, ownedBy, type Signer } from './own-tx.ts';

/**
 * Creates a property asset, mints a property and burns it. No client supports the property feature extension, so the bytes are built here;
 * the client signs and sends them. `issue` resolves once the transaction is accepted.
 */
export async function mintAndBurnProperty(node: Node, signer: Signer, issue: (tx: string) => Promise<string>): Promise<string> {
  const owner = ownedBy(signer.address);
  const asset = await issue(
    await createAssetTx(node, signer, {
      name: 'Deed of land',
      symbol: 'DEED',
      denomination: 0,
      initialStates: [{ fxIndex: 2, outputs: [{ kind: 'propertyfx.MintOutput', ...owner }] }],
    }),
  );
  const assetID = parseId(asset);
  const assetUtxos = async () => (await listUtxos(node, signer.address)).filter((utxo) => utxo.assetID === assetID);
  const operate = async (utxo: Utxo, operation: Operation['operation']) =>
    issue(await operationTx(node, signer, { assetID, inputIDs: [{ txID: utxo.txID, outputIndex: utxo.outputIndex }], operation }));

  const [mint] = await assetUtxos();
  expect(mint?.output).toEqual({ kind: 'propertyfx.MintOutput', ...owner });
  const minting = await operate(mint!, {
    kind: 'propertyfx.MintOperation',
    mintInput: { signatureIndices: [0] },
    mintOutput: owner,
    ownedOutput: owner,
  });
  const minted = await assetUtxos();
  expect(minted.map((utxo) => utxo.output.kind).sort()).toEqual(['propertyfx.MintOutput', 'propertyfx.OwnedOutput']);
  expect(minted.every((utxo) => utxo.txID === parseId(minting))).toBe(true);

  const deed = minted.find((utxo) => utxo.output.kind === 'propertyfx.OwnedOutput');
  await operate(deed!, { kind: 'propertyfx.BurnOperation', signatureIndices: [0] });
  expect((await assetUtxos()).map((utxo) => utxo.output.kind)).toEqual(['propertyfx.MintOutput']);
  return asset;
}
