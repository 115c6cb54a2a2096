/**
 * The vertices of an X-Chain from before linearization through @avalanche-sdk/chainkit 0.3.13 and @avalabs/avacloud-sdk 0.13.0: those of
 * vectors/dag.json, which AvalancheGo 1.9.16 made.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dagVectors, shownVertices, writeDag } from '../../dag-chain.ts';
import { isBootstrapped } from '../../network-nodes.ts';
import { eventually } from '../../processes.ts';
import { type Program, startProgramAsUsers } from '../../program.ts';
import { expectError, onX, openAvacloud, openChainkit, readAllPages } from './data-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'serac-vertices-'));
let program: Program;

beforeAll(async () => {
  const files = { genesis: join(folder, 'genesis.json'), upgrades: join(folder, 'upgrades.json') };
  writeFileSync(files.genesis, JSON.stringify(dagVectors.genesis));
  writeFileSync(files.upgrades, JSON.stringify(dagVectors.upgrades));
  writeDag(join(folder, 'node'));
  program = await startProgramAsUsers(
    'join',
    `--network-id=${dagVectors.genesis.networkID}`,
    `--genesis-file=${files.genesis}`,
    `--upgrade-file=${files.upgrades}`,
    '--sybil-protection-enabled=false',
    '--staking-host=127.0.0.1',
    '--staking-port=0',
    `--data-dir=${join(folder, 'node')}`,
  );
  await eventually(
    () => isBootstrapped({ name: 'Serac', client: program.client }),
    (isDone) => isDone,
    60_000,
  );
}, 90_000);
afterAll(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const [name, open] of [
  ['chainkit', openChainkit],
  ['avacloud', openAvacloud],
] as const)
  test(`${name}: vertices, the latest, by height and by hash`, async () => {
    const { data, errors, at } = open(program.url);
    const { vertices } = data.primaryNetwork;
    const found = ({ result }: { result: { vertices: object[] } }) => result.vertices;
    const expected = shownVertices();
    expect(
      await readAllPages<{ result: { vertices: object[] } }, object>(vertices.listLatest({ ...onX, pageSize: 20 }, at), found),
    ).toEqual(expected.toReversed());
    const last = expected.at(-1) as (typeof expected)[number];
    expect(
      await readAllPages<{ result: { vertices: object[] } }, object>(
        vertices.listByHeight({ ...onX, vertexHeight: last.vertexHeight }, at),
        found,
      ),
    ).toEqual([last]);
    for (const vertex of expected.slice(0, 5))
      expect<object>(await vertices.getByHash({ ...onX, vertexHash: vertex.vertexHash }, at)).toEqual(vertex);
    const unknown = dagVectors.blockchainID;
    await expectError<Error>(errors.missing, vertices.getByHash({ ...onX, vertexHash: unknown }, at));
  }, 30_000);
