import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Certificates of servers: file, name of the host, and who signed it. */
const servers = [
  ['server', 'localhost', 'ca'],
  ['renamed', 'elsewhere.example', 'ca'],
  ['unknown', 'localhost', 'other-ca'],
] as const;

/** Writes two certificate authorities and the certificates of `servers`, each with its key. */
export function createCertificates(folder: string): void {
  const openssl = (...args: string[]) => {
    const { success, stderr } = Bun.spawnSync(['openssl', ...args], { cwd: folder, stdout: 'ignore' });
    if (!success) throw new Error(stderr.toString());
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  for (const name of ['ca', 'other-ca'])
    openssl('req', '-x509', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`);
  for (const [name, host, authority] of servers) {
    openssl('req', ...newKey.slice(0, 5), '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${host}`);
    writeFileSync(join(folder, 'names'), `subjectAltName = DNS:${host}\n`);
    const signer = ['-CA', `${authority}.pem`, '-CAkey', `${authority}.key`, '-CAcreateserial'];
    openssl('x509', '-req', '-in', `${name}.csr`, ...signer, '-days', '2', '-extfile', 'names', '-out', `${name}.pem`);
  }
  chmodSync(join(folder, 'server.key'), 0o600);
}
