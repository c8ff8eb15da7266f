import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

/** Turns a PEM file into a trust store, for Java reads no PEM files; used while installing only. */
final class TrustStore {
    public static void main(String[] arguments) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream pem = Files.newInputStream(Path.of(arguments[0]))) {
            for (Certificate certificate : CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("ca" + store.size(), certificate);
            }
        }
        try (OutputStream out = Files.newOutputStream(Path.of(arguments[1]))) {
            store.store(out, "changeit".toCharArray());
        }
    }
}
