import { KeyObject, X509Certificate } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import * as z from 'zod';
import type { Clock } from '../domain/time.ts';
import { dayMs } from '../domain/time.ts';
import { openPrivateFile } from './private-files.ts';
import { seedNames } from './seed.ts';

const pairSchema = z.object({
  /** The certificate of the authority, which clients must trust. The authority's private key is never stored. */
  authority: z.string(),
  certificate: z.string(),
  key: z.string(),
});

/** The certificate and key for https on this machine, as PEM. */
export type LocalCertificate = z.infer<typeof pairSchema>;

const lifeDays = 365;

/**
 * The host names in the certificate. The hosts of the seeded accounts are listed, because clients do not accept the
 * wildcard `*.localhost`.
 */
const dnsNames = [
  'localhost',
  ...[seedNames.organization_id, seedNames.user.account_id].map((id) => `${id}.localhost`),
];

const keyAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/**
 * Returns a certificate for the host names of this machine. Without `directory`, it is new at each start. With
 * `directory`, it is stored in this folder in a file that only the user can read, and is used until a week before it
 * expires.
 */
export async function openLocalCertificate(directory: string | undefined, clock: Clock): Promise<LocalCertificate> {
  const text = await openPrivateFile({
    directory,
    name: 'tls.json',
    create: async () => JSON.stringify(await makeCertificate(clock())),
    isUsable: (stored) => {
      const { certificate } = pairSchema.parse(JSON.parse(stored));
      return new X509Certificate(certificate).validToDate.getTime() > clock() + 7 * dayMs;
    },
  });
  return pairSchema.parse(JSON.parse(text));
}

/**
 * Creates a certificate authority that signs one certificate, and then drops the authority's private key. A client that
 * trusts the authority therefore trusts this server only, and stolen files cannot be used to sign a certificate for
 * another host.
 */
async function makeCertificate(now: number): Promise<LocalCertificate> {
  const [authorityKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  const issuer = 'CN=Sluice on this machine';
  const sign = async (subject: string, { publicKey }: CryptoKeyPair, extensions: Extension[]) => {
    const { rawData } = await X509CertificateGenerator.create({
      issuer,
      subject,
      // Begin the validity in the past, for clients whose clock is behind, for example in a virtual machine.
      notBefore: new Date(now - dayMs),
      notAfter: new Date(now + lifeDays * dayMs),
      publicKey,
      signingKey: authorityKeys.privateKey,
      signingAlgorithm: keyAlgorithm,
      // Add both key identifiers, which Python 3.13 and later require in certificates.
      extensions: [
        ...extensions,
        await SubjectKeyIdentifierExtension.create(publicKey),
        await AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      ],
    });
    return new X509Certificate(Buffer.from(rawData)).toString();
  };
  const { privateKey } = serverKeys;
  return {
    authority: await sign(issuer, authorityKeys, [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ]),
    certificate: await sign('CN=localhost', serverKeys, [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
        { type: 'ip', value: '127.0.0.1' },
      ]),
    ]),
    key: KeyObject.from(privateKey).export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function newKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(keyAlgorithm, true, ['sign', 'verify']);
}
