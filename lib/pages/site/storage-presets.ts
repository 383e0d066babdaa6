/**
 * A kind of storage, with the values that all connections of this kind have in common. `docs/operating/storage.md` has
 * the same data.
 */
export interface StoragePreset {
  id: string;
  name: string;
  /**
   * The endpoint. Absent for AWS. The user replaces `<region>` and `<account>`. If the text is empty, the user types
   * the whole endpoint.
   */
  endpoint?: string;
  /** The only region of this storage. */
  region?: string;
  regionHint?: string;
  /** Shows if tests of this project use the storage itself, only emulators of it, or neither. */
  tested: 'directly' | 'with emulators' | 'no';
  /** Things that a user must know before connecting. */
  differences: readonly string[];
  sources: readonly string[];
}

export const storagePresets: readonly StoragePreset[] = [
  {
    id: 'aws',
    name: 'Amazon S3',
    regionHint: 'The region of the bucket, such as eu-west-1.',
    tested: 'with emulators',
    differences: [],
    sources: [],
  },
  {
    id: 'r2',
    name: 'Cloudflare R2',
    endpoint: 'https://<account>.r2.cloudflarestorage.com',
    region: 'auto',
    tested: 'no',
    differences: [
      'Create an API token of R2 and use its access key.',
      'A bucket of a jurisdiction has its own endpoint. For the EU, add “.eu” to the account.',
      'R2 has composite checksums only, except for CRC64NVME. Some bucket operations are missing.',
    ],
    sources: ['https://developers.cloudflare.com/r2/api/s3/api/'],
  },
  {
    id: 'gcs',
    name: 'Google Cloud Storage',
    endpoint: 'https://storage.googleapis.com',
    region: 'auto',
    tested: 'no',
    differences: [
      'Use the HMAC key of a service account that has rights to objects in the bucket.',
      'Storage classes have other names than those of AWS.',
    ],
    sources: [
      'https://cloud.google.com/storage/docs/authentication/hmackeys',
      'https://cloud.google.com/storage/docs/interoperability',
    ],
  },
  {
    id: 'b2',
    name: 'Backblaze B2',
    endpoint: 'https://s3.<region>.backblazeb2.com',
    regionHint: 'The region in the endpoint of the bucket, such as us-west-004.',
    tested: 'no',
    differences: ['Create an application key. The master application key does not work.'],
    sources: ['https://www.backblaze.com/apidocs/introduction-to-the-s3-compatible-api'],
  },
  {
    id: 'wasabi',
    name: 'Wasabi',
    endpoint: 'https://s3.<region>.wasabisys.com',
    regionHint: 'The region in the endpoint of the bucket, such as eu-central-1.',
    tested: 'no',
    differences: ['Use the key of a sub-user with a policy for the bucket, not a root key.'],
    sources: ['https://docs.wasabi.com/docs/rest-api-introduction'],
  },
  {
    id: 'tigris',
    name: 'Tigris',
    endpoint: 'https://t3.storage.dev',
    region: 'auto',
    tested: 'no',
    differences: ['Access key IDs begin with “tid_”.'],
    sources: ['https://www.tigrisdata.com/docs/overview/'],
  },
  {
    id: 'minio',
    name: 'MinIO',
    endpoint: '',
    regionHint: 'us-east-1, unless the server sets another.',
    tested: 'no',
    differences: ['The server needs a public IP address, and a certificate of a public authority for its name.'],
    sources: ['https://github.com/minio/minio/discussions/15997'],
  },
  {
    id: 'ceph',
    name: 'Ceph',
    endpoint: '',
    regionHint: 'us-east-1, or the name of the zone group.',
    tested: 'no',
    differences: ['Releases as old as Nautilus do not support session tokens and version IDs.'],
    sources: ['https://docs.ceph.com/en/latest/radosgw/s3/'],
  },
];
