import { Duration } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type DistributionProps, PriceClass, SecurityPolicyProtocol } from 'aws-cdk-lib/aws-cloudfront';
import type { Construct } from 'constructs';
import { cachedErrorStatuses, objectCachePolicy } from '../../edge/cache-policy.ts';
import type { Config } from '../config.ts';

/** By default, CloudFront caches an error for ten seconds and returns it to other clients. */
export const errorResponses = cachedErrorStatuses.map((httpStatus) => ({
  httpStatus,
  ttl: Duration.seconds(objectCachePolicy.errorTtlSeconds),
}));

export const priceClasses: Record<Config['priceClass'], PriceClass> = {
  PriceClass_All: PriceClass.PRICE_CLASS_ALL,
  PriceClass_200: PriceClass.PRICE_CLASS_200,
  PriceClass_100: PriceClass.PRICE_CLASS_100,
};

export const strictTransportSecurity = {
  accessControlMaxAge: Duration.days(365),
  includeSubdomains: false,
  override: true,
};

/**
 * Returns the domain names of a distribution. A minimum TLS version needs a certificate, so CloudFront's default domain
 * name accepts older versions.
 */
export function answerNames(
  scope: Construct,
  domain: Config['apiDomain'],
  more: readonly string[] = [],
): Pick<DistributionProps, 'domainNames' | 'certificate' | 'minimumProtocolVersion'> {
  if (domain === undefined) return {};
  return {
    domainNames: [domain.name, ...more],
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', domain.certificateArn),
    minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
  };
}
