import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.transfer.s3.S3TransferManager;

/** Reads a step a line and answers each with a line until its input ends: what client-steps.ts tells it. Signs in with the settings alone. */
public class Client {
  static final String bucket = "tide-institute";
  static final S3Client s3 = S3Client.create();
  static final S3TransferManager transfers = S3TransferManager.builder()
      .s3Client(S3AsyncClient.builder()
          .multipartEnabled(true)
          .multipartConfiguration(parts -> parts.minimumPartSizeInBytes(5L << 20).thresholdInBytes(5L << 20))
          .build())
      .build();

  public static void main(String[] args) throws Exception {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = input.readLine()) != null;) {
      var words = Arrays.stream(line.split("\t")).map(word -> URLDecoder.decode(word, StandardCharsets.UTF_8)).toList();
      Stream<String> answer;
      try {
        answer = Stream.concat(Stream.of("ok"), take(words.get(0), words.subList(1, words.size())).stream());
      } catch (Exception failure) {
        var cause = failure.getCause() == null ? failure : failure.getCause();
        answer = Stream.of("failed", cause.getClass().getSimpleName(), String.valueOf(cause.getMessage()));
      }
      System.out.println(answer
          .map(word -> URLEncoder.encode(word, StandardCharsets.UTF_8).replace("+", "%20"))
          .collect(Collectors.joining("\t")));
    }
  }

  static List<String> take(String step, List<String> given) throws Exception {
    switch (step) {
      case "upload" -> transfers
          .uploadFile(upload -> upload
              .source(Path.of(given.get(0)))
              .putObjectRequest(put -> put.bucket(bucket).key(given.get(1))))
          .completionFuture().join();
      case "download" -> transfers
          .downloadFile(download -> download
              .destination(Path.of(given.get(1)))
              .getObjectRequest(get -> get.bucket(bucket).key(given.get(0))))
          .completionFuture().join();
      case "range" -> {
        long first = Long.parseLong(given.get(1)), last = first + Long.parseLong(given.get(2)) - 1;
        var range = s3.getObject(
            get -> get.bucket(bucket).key(given.get(0)).range("bytes=" + first + "-" + last),
            ResponseTransformer.toBytes());
        Files.write(Path.of(given.get(3)), range.asByteArray());
      }
      case "list" -> {
        return s3.listObjectsV2Paginator(list -> list.bucket(bucket).prefix(given.get(0)).maxKeys(3))
            .contents().stream().map(S3Object::key).toList();
      }
      case "copy" -> transfers
          .copy(copy -> copy.copyObjectRequest(request -> request
              .sourceBucket(bucket).sourceKey(given.get(0)).destinationBucket(bucket).destinationKey(given.get(1))))
          .completionFuture().join();
      case "remove" -> s3.deleteObjects(remove -> remove.bucket(bucket).delete(
          these -> these.objects(one -> one.key(given.get(0)))));
      default -> throw new IllegalArgumentException(step);
    }
    return List.of();
  }
}
