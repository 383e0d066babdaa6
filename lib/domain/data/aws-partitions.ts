interface AwsPartition {
  /** The name of an AWS partition in ARNs. */
  id: string;
  /** Matches the names of the partition's regions. */
  regions: RegExp;
  /** The domains of the partition's hosts. Hosts in the second domain support IPv4 and IPv6. */
  suffixes: readonly [string, string];
}

/**
 * The partitions of AWS. A bucket name is unique within a partition. A region that matches no other partition belongs
 * to the last one. A test compares the list with that of the AWS SDK.
 */
const awsPartitions: readonly AwsPartition[] = [
  { id: 'aws-cn', regions: /^cn-/, suffixes: ['amazonaws.com.cn', 'api.amazonwebservices.com.cn'] },
  { id: 'aws-us-gov', regions: /^us-gov-/, suffixes: ['amazonaws.com', 'api.aws'] },
  { id: 'aws-eusc', regions: /^eusc-/, suffixes: ['amazonaws.eu', 'api.amazonwebservices.eu'] },
  { id: 'aws-iso', regions: /^us-iso-/, suffixes: ['c2s.ic.gov', 'api.aws.ic.gov'] },
  { id: 'aws-iso-b', regions: /^us-isob-/, suffixes: ['sc2s.sgov.gov', 'api.aws.scloud'] },
  { id: 'aws-iso-e', regions: /^eu-isoe-/, suffixes: ['cloud.adc-e.uk', 'api.cloud-aws.adc-e.uk'] },
  { id: 'aws-iso-f', regions: /^us-isof-/, suffixes: ['csp.hci.ic.gov', 'api.aws.hci.ic.gov'] },
  { id: 'aws', regions: /^/, suffixes: ['amazonaws.com', 'api.aws'] },
];

export function partitionOf(region: string): AwsPartition {
  const found = awsPartitions.find(({ regions }) => regions.test(region));
  if (found === undefined) throw new Error('the last partition has every region');
  return found;
}

/** Returns the partition of a host of AWS. Returns undefined for a host of another owner. */
export function partitionOfHost(host: string): AwsPartition | undefined {
  const candidates = awsPartitions.filter(({ suffixes }) => suffixes.some((suffix) => isInDomain(host, suffix)));
  // An old host name of GovCloud has its region after a hyphen, such as `s3-us-gov-west-1`.
  const isInRegion = ({ regions }: AwsPartition) =>
    host.split('.').some((label) => regions.test(label.replace(/^s3-(?:fips-)?/, '')));
  return candidates.find(isInRegion) ?? candidates[0];
}

/** Returns true if the AWS host is an endpoint of S3 and its name contains no bucket. */
export function isHostOfS3(host: string): boolean {
  const suffix = partitionOfHost(host)?.suffixes.find((one) => isInDomain(host, one)) ?? '';
  const name = host.slice(0, -suffix.length - 1);
  return /^s3(?:-fips)?(?:\.dualstack)?(?:[.-](?:[a-z]{2,}(?:-[a-z]+)+-\d{1,2}|external-1))?$/.test(name);
}

/** Returns true if a host is the domain itself or a subdomain. */
export function isInDomain(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}
