import { createHash } from 'node:crypto';
import packageJson from '../../package.json' with { type: 'json' };
import { type DependencyUse, dependencyTable, publishedDependencies } from './dependency-table.ts';
import { type LockedPackage, reachPackages } from './lock-file.ts';

/**
 * The software bill of materials: what the package and the executables contain, in CycloneDX 1.6. It has no date and its serial number is
 * computed from its content, so that the same lock file gives the same bytes.
 */
export function renderSbom(lock: ReadonlyMap<string, LockedPackage>): string {
  const components = componentsOf(lock);
  const own = packageUrl(packageJson.name, packageJson.version);
  const direct = publishedDependencies.map((name) => refOf(lock.get(`node_modules/${name}`) as LockedPackage));
  const body = {
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name: packageJson.name,
        version: packageJson.version,
        description: packageJson.description,
        licenses: [{ license: { id: packageJson.license } }],
        purl: own,
      },
    },
    components: components.map(({ component }) => component),
    dependencies: [
      { ref: own, dependsOn: direct.sort() },
      ...components.map(({ item, component }) => ({
        ref: component['bom-ref'],
        dependsOn: item.needs.map((place) => refOf(lock.get(place) as LockedPackage)).sort(),
      })),
    ],
  };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(body))}`;
  return `${JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber, ...body }, null, 2)}\n`;
}

/** The published packages: those that npm installs, and those whose code is bundled. */
function componentsOf(lock: ReadonlyMap<string, LockedPackage>) {
  const uses: readonly DependencyUse[] = ['installed', 'bundled'];
  const placesByUse = uses.map((use) => ({
    use,
    places: reachPackages(
      lock,
      publishedDependencies.filter((name) => dependencyTable[name].use === use),
    ),
  }));
  return [...reachPackages(lock, publishedDependencies)].sort().map((place) => {
    const item = lock.get(place) as LockedPackage;
    const itemUses = placesByUse.filter(({ places }) => places.has(place)).map(({ use }) => use);
    return { item, component: componentOf(item, itemUses) };
  });
}

function componentOf(item: LockedPackage, uses: readonly DependencyUse[]) {
  const [group, name] = item.name.startsWith('@') ? (item.name.split('/') as [string, string]) : [undefined, item.name];
  return {
    type: 'library',
    'bom-ref': refOf(item),
    ...(group !== undefined && { group }),
    name,
    version: item.version,
    // Packages for other systems are not installed.
    scope: item.isOptional ? 'optional' : 'required',
    hashes: [{ alg: 'SHA-512', content: Buffer.from(item.integrity.replace(/^sha512-/, ''), 'base64').toString('hex') }],
    licenses: [item.license.includes(' ') ? { expression: item.license } : { license: { id: item.license } }],
    purl: refOf(item),
    properties: uses.map((use) => ({ name: 'serac:use', value: use })),
  };
}

const refOf = ({ name, version }: LockedPackage): string => packageUrl(name, version);

const packageUrl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** A UUID of version 8 (made by a rule of its own, RFC 9562) from a hash of the text. */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
