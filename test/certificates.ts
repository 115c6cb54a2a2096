import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a certificate authority, the certificate of a server named localhost that it signed, and another authority. */
export function createCertificates(folder: string): void {
  const openssl = (...args: string[]) => {
    const { success, stderr } = Bun.spawnSync(['openssl', ...args], { cwd: folder, stdout: 'ignore' });
    if (!success) throw new Error(stderr.toString());
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  for (const name of ['ca', 'other-ca'])
    openssl('req', '-x509', ...newKey, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', `/CN=${name}`);
  openssl('req', ...newKey.slice(0, 5), '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(join(folder, 'names'), 'subjectAltName = DNS:localhost\n');
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names', '-out', 'server.pem'];
  openssl('x509', '-req', '-in', 'server.csr', ...signed);
  chmodSync(join(folder, 'server.key'), 0o600);
}
