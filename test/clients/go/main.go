// Runs one step with the AWS SDK for Go, which signs in with the settings in its environment.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials/stscreds"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"
)

var ctx = context.Background()

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func escape(key string) string {
	return strings.ReplaceAll(url.QueryEscape(key), "+", "%20")
}

func main() {
	// Debian's version does not read the endpoint settings, so this program sets them.
	config := aws.Config{Region: os.Getenv("AWS_REGION")}
	exchange := sts.NewFromConfig(config, sts.WithEndpointResolver(sts.EndpointResolverFromURL(os.Getenv("AWS_ENDPOINT_URL_STS"))))
	token := stscreds.IdentityTokenFile(os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"))
	config.Credentials = aws.NewCredentialsCache(stscreds.NewWebIdentityRoleProvider(exchange, os.Getenv("AWS_ROLE_ARN"), token))
	client := s3.NewFromConfig(config, s3.WithEndpointResolver(s3.EndpointResolverFromURL(os.Getenv("AWS_ENDPOINT_URL_S3"))),
		func(options *s3.Options) { options.UsePathStyle = true })

	bucket := os.Args[1]
	var printed any
	switch step, args := os.Args[2], os.Args[3:]; step {
	case "upload":
		file := must(os.Open(args[0]))
		must(manager.NewUploader(client).Upload(ctx, &s3.PutObjectInput{Bucket: &bucket, Key: &args[1], Body: file}))
	case "download":
		file := must(os.Create(args[1]))
		must(manager.NewDownloader(client).Download(ctx, file, &s3.GetObjectInput{Bucket: &bucket, Key: &args[0]}))
	case "range":
		got := must(client.GetObject(ctx, &s3.GetObjectInput{Bucket: &bucket, Key: &args[0], Range: &args[1]}))
		must(0, os.WriteFile(args[2], must(io.ReadAll(got.Body)), 0o600))
	case "list":
		keys := []string{}
		pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{Bucket: &bucket, Prefix: &args[0], MaxKeys: 3})
		for pages.HasMorePages() {
			for _, found := range must(pages.NextPage(ctx)).Contents {
				keys = append(keys, *found.Key)
			}
		}
		printed = keys
	case "copy":
		source := bucket + "/" + escape(args[0])
		must(client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &bucket, Key: &args[1], CopySource: &source}))
	case "remove":
		objects := []types.ObjectIdentifier{{Key: &args[0]}}
		must(client.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &bucket, Delete: &types.Delete{Objects: objects}}))
	}
	must(0, json.NewEncoder(os.Stdout).Encode(printed))
}
