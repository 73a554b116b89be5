#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/// Returns the public key that is the SEC 1 point `point` on the curve named `curve`, to be freed with `EVP_PKEY_free`.
/// Returns NULL if it is no point of the curve. This is written in C, because the names of the parameters must outlive
/// the calls, and because Swift cannot import the macro `EVP_PKEY_PUBLIC_KEY`.
static inline EVP_PKEY *libcrypto_ec_public_key(const char *curve, const unsigned char *point, size_t length) {
    // Load no openssl.cnf: the verifier opens no further file, and no configuration changes what it accepts.
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1) return NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context == NULL) return NULL;
    // libcrypto declares these pointers as non-const, but it only reads input parameters.
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, length),
        OSSL_PARAM_construct_end(),
    };
    EVP_PKEY *key = NULL;
    if (EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    EVP_PKEY_CTX_free(context);
    return key;
}
