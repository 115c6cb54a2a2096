import { expect } from 'bun:test';
import { parseId } from '../../../src/bytes/id.ts';
import type { Operation } from '../../../src/tx/operation.ts';
import type { Utxo } from '../../../src/tx/utxo.ts';
import type { Node } from './node.ts';
import { createAssetTx, holdings, operationTx, ownedBy, type Signer } from './own-tx.ts';

/**
 * A property is made, minted and burnt. No client has the property feature extension, so the bytes are ours; the client signs
 * them and sends them. `issue` answers once the transaction is accepted.
 */
export async function tellProperty(node: Node, signer: Signer, issue: (tx: string) => Promise<string>): Promise<string> {
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
  const held = async () => (await holdings(node, signer.address)).filter((utxo) => utxo.assetID === assetID);
  const operate = async (utxo: Utxo, operation: Operation['operation']) =>
    issue(await operationTx(node, signer, { assetID, inputIDs: [{ txID: utxo.txID, outputIndex: utxo.outputIndex }], operation }));

  const [mint] = await held();
  expect(mint?.output).toEqual({ kind: 'propertyfx.MintOutput', ...owner });
  const minting = await operate(mint!, {
    kind: 'propertyfx.MintOperation',
    mintInput: { signatureIndices: [0] },
    mintOutput: owner,
    ownedOutput: owner,
  });
  const minted = await held();
  expect(minted.map((utxo) => utxo.output.kind).sort()).toEqual(['propertyfx.MintOutput', 'propertyfx.OwnedOutput']);
  expect(minted.every((utxo) => utxo.txID === parseId(minting))).toBe(true);

  const deed = minted.find((utxo) => utxo.output.kind === 'propertyfx.OwnedOutput');
  await operate(deed!, { kind: 'propertyfx.BurnOperation', signatureIndices: [0] });
  expect((await held()).map((utxo) => utxo.output.kind)).toEqual(['propertyfx.MintOutput']);
  return asset;
}
