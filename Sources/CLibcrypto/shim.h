#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>

/// The public key that is this SEC 1 point on the curve of that name, to be freed with `EVP_PKEY_free`; null when it is no
/// point of the curve. In C, as parameter names must outlive the calls and `EVP_PKEY_PUBLIC_KEY` is a macro of macros.
static inline EVP_PKEY *libcrypto_ec_public_key(const char *curve, const unsigned char *point, size_t length) {
    // The verifier opens no file, and no openssl.cnf decides what it accepts.
    if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1) return NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context == NULL) return NULL;
    // libcrypto takes pointers to non-const data but only reads a parameter that is an input.
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
